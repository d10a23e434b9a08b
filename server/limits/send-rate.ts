import { maxMessageCharacters, maxTypedNameUnits } from '../../contract/limits.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { limitedNetworks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import type { CountStored, RaidGuard } from './raid-guard.ts'
import { burstSeconds } from '../config/rate-burst.ts'
import { createTokenBucket, type Rate, tokenWaitMs } from './token-bucket.ts'

export interface SendRates {
  perConnection: number
  perAddress: number
}

/**
 * Average size that the limits allow for a message on the connection of a receiver. The value exceeds the size of a
 * typical message. It is low enough that a network at its limit (205 KB/s by default) does not overload a 2 Mbit/s
 * receiver.
 */
const bytesPerMessage = 512
/**
 * Length of the byte burst of an address. It is shorter than the burst of messages, because the burst of a network must fit
 * into the 1 MiB that a receiver may leave unread.
 */
export const addressByteBurstSeconds = 4
/** Approximate number of bytes that a message takes on a subscriber's connection besides its text and its name. */
export const envelopeBytes = 256
/**
 * Returns the maximum size of a text in JSON: two quotes, and six bytes per UTF-16 unit, as in the escape of a lone
 * surrogate. No unit takes more bytes.
 */
const maxJsonBytes = (units: number) => units * 6 + 2
/**
 * Size of the longest message in the largest encoding. Byte bursts are at least this large, so that any message can be
 * sent.
 */
export const maxSentBytes = envelopeBytes + maxJsonBytes(maxTypedNameUnits) + maxJsonBytes(maxMessageCharacters)

export type TakeSendToken = (messageBytes: number) => CountStored

/** Creates the rate limits of connections, addresses and networks, in messages and in bytes. 0 means no limit. */
export function createSendRateLimit({ perConnection, perAddress }: SendRates, raid: RaidGuard) {
  const connectionMessageRate = { perSecond: perConnection, burst: perConnection * burstSeconds }
  const connectionByteRate = byteRate(perConnection, burstSeconds)
  const messages = createNetworkBuckets({ perSecond: perAddress, burst: perAddress * burstSeconds })
  const bytes = createNetworkBuckets(byteRate(perAddress, addressByteBurstSeconds))

  return {
    /**
     * Returns a function that throws if this connection, its address or its network sends too fast, or must wait because of
     * a raid. Its argument is the size of the encoded message. Its result counts the message for raid mode.
     */
    forConnection(address: string, isAccount: boolean): TakeSendToken {
      const startMs = monotonicMs()
      const messageBucket = createTokenBucket(connectionMessageRate, startMs)
      const byteBucket = createTokenBucket(connectionByteRate, startMs)
      const networks = limitedNetworks(address)
      const rejectDuringRaid = perConnection > 0 ? raid.forSender(address, isAccount) : () => () => undefined

      function takeOwn(nowMs: number, messageBytes: number): number {
        if (perConnection === 0) return 0
        const waitMs = Math.max(
          tokenWaitMs(messageBucket, connectionMessageRate, nowMs),
          tokenWaitMs(byteBucket, connectionByteRate, nowMs, messageBytes),
        )
        if (waitMs > 0) return waitMs
        messageBucket.tokens--
        byteBucket.tokens -= messageBytes
        return 0
      }

      return (messageBytes) => {
        const nowMs = monotonicMs()
        const waitMs =
          takeOwn(nowMs, messageBytes) || messages.take(networks, nowMs) || bytes.take(networks, nowMs, messageBytes)
        if (waitMs > 0) throw new RejectionError('rate_limited', 'You are sending too fast.', waitMs)
        return rejectDuringRaid(messageBytes)
      }
    },
  }
}

export type SendRateLimit = ReturnType<typeof createSendRateLimit>

export function byteRate(messagesPerSecond: number, seconds: number): Rate {
  const perSecond = messagesPerSecond * bytesPerMessage
  return { perSecond, burst: Math.max(maxSentBytes, perSecond * seconds) }
}
