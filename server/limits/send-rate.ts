import { RejectionError } from '../base/rejection-error.ts'
import { limitedNetworks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import type { RaidGuard } from './raid-guard.ts'
import { burstSeconds, createTokenBucket, type Rate, tokenWaitMs } from './token-bucket.ts'

export interface SendRates {
  perConnection: number
  perAddress: number
}

/**
 * Bytes on every reader's line for each message that the rates allow: more than people type, and little enough that a
 * whole network at its limit (four addresses' worth, 205 KB/s by default) leaves a reader on 2 Mbit/s standing.
 */
const bytesPerMessage = 512
/** Shorter than for messages: a network's burst has to fit what a reader may leave unread, 1 MiB. */
export const addressByteBurstSeconds = 4
/** The longest message in the costliest script. However small a rate is set, it can still be sent. */
const minByteBurst = 24 * 1_024

/** How fast one connection, one address and one network may send, in messages and in bytes. 0 means no limit. */
export function createSendRateLimit({ perConnection, perAddress }: SendRates, raid: RaidGuard) {
  const ownMessages = { perSecond: perConnection, burst: perConnection * burstSeconds }
  const ownBytes = byteRate(perConnection, burstSeconds)
  const messages = createNetworkBuckets({ perSecond: perAddress, burst: perAddress * burstSeconds })
  const bytes = createNetworkBuckets(byteRate(perAddress, addressByteBurstSeconds))

  return {
    /** A function that throws when this connection sends too fast; it gets what the message takes up on a reader's line. */
    forConnection(address: string, isAccount: boolean): (messageBytes: number) => void {
      const startMs = Date.now()
      const ownMessageTokens = createTokenBucket(ownMessages, startMs)
      const ownByteTokens = createTokenBucket(ownBytes, startMs)
      const networks = limitedNetworks(address)
      const rejectDuringRaid = perConnection > 0 ? raid.forSender(address, isAccount) : null

      function ownWaitMs(nowMs: number, messageBytes: number): number {
        if (perConnection === 0) return 0
        const waitMs = Math.max(
          tokenWaitMs(ownMessageTokens, ownMessages, nowMs),
          tokenWaitMs(ownByteTokens, ownBytes, nowMs, messageBytes),
        )
        if (waitMs > 0) return waitMs
        ownMessageTokens.tokens--
        ownByteTokens.tokens -= messageBytes
        return 0
      }

      return (messageBytes) => {
        const nowMs = Date.now()
        const waitMs =
          ownWaitMs(nowMs, messageBytes) || messages.take(networks, nowMs) || bytes.take(networks, nowMs, messageBytes)
        if (waitMs > 0) throw new RejectionError('rate_limited', 'You are sending too fast.', waitMs)
        rejectDuringRaid?.(messageBytes)
      }
    },
  }
}

export type SendRateLimit = ReturnType<typeof createSendRateLimit>

export function byteRate(messagesPerSecond: number, seconds: number): Rate {
  const perSecond = messagesPerSecond * bytesPerMessage
  return { perSecond, burst: Math.max(minByteBurst, perSecond * seconds) }
}
