import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { nowMs } from '../driver/clock.ts'
import type { BurstReport } from '../driver/fleet-protocol.ts'
import { maxMessageId } from '../driver/message-text.ts'
import { bucketMs } from '../driver/delivery-counter.ts'
import type { Peer } from '../peers/peer.ts'
import { mergeBuckets, percentile } from '../report/statistics.ts'
import { type Fleet, startFleet } from './fleet-process.ts'
import { machineCpuMs } from './process-usage.ts'
import { type StartOptions, startServer } from './server-process.ts'

const defaultTextCharacters = 60
const defaultSenders = 50

/**
 * Returns the time between the start of a burst and its first message. The sender encodes all messages in this time.
 */
export const leadMs = (messages: number): number => 120 + messages * 0.04

export interface BurstPlan {
  rate: number
  seconds: number
  textCharacters?: number
  /** Time after the last message's due time in which deliveries still count. */
  drainMs?: number
  /**
   * Whether the load generator may sleep. Set it to measure a browser: the browser shares the cores of the load
   * generator, which must then not busy-wait.
   */
  canSleep?: boolean
}

export interface BurstResult {
  clients: number
  rate: number
  messages: number
  delivered: number
  expected: number
  /** True if every connection received every message exactly once and all acks are correct. */
  isComplete: boolean
  isSameOrder: boolean
  cpuMs: number
  wallMs: number
  cpuUsPerDelivery: number
  cpuMsPerBroadcast: number
  deliveriesPerSecond: number
  p50Ms: number
  p99Ms: number
  bytesPerDelivery: number
  worstSendDelayMs: number
  /** Share of its core that the load generator used. Near 1, the load generator is the bottleneck. */
  loadGeneratorBusyShare: number
  /** Share of all cores that other processes used during the burst. Other processes disturb the measurement. */
  otherProcessesShare: number
  acknowledged: number | null
  closedConnections: number
}

interface RoomOptions extends StartOptions {
  senders?: number
  /** Port of the node to which the senders connect. Default: the port of the server under test. */
  sendersPort?: number
}

/** Starts a server under test with two client processes: one whose clients also send, one whose clients only receive. */
export async function openRoom(peer: Peer, clients: number, options: RoomOptions = {}) {
  const server = await startServer(peer, options)
  const setup = { dialect: peer.dialect, port: server.port, auth: peer.auth }
  const sendersSetup = { ...setup, port: options.sendersPort ?? server.port }
  const fleets: Fleet[] = []
  let nextId = 0
  let senders = 0

  try {
    fleets.push(await startFleet(sendersSetup), await startFleet(setup))
    await resize(clients)
  } catch (error) {
    await close()
    throw error
  }

  function sendersFor(total: number): number {
    return Math.min(options.senders ?? defaultSenders, options.senders === undefined ? total >> 1 : total)
  }

  async function resize(total: number): Promise<void> {
    const [senderFleet, receiverFleet] = fleets as [Fleet, Fleet]
    for (const [fleet, target] of [
      [senderFleet, sendersFor(total)],
      [receiverFleet, total - sendersFor(total)],
    ] as const) {
      const { open } = await fleet.call('state', null)
      if (open > target) await fleet.call('shrink', { count: target })
      else if (open < target) await fleet.call('connect', { count: target - open })
    }
    senders = sendersFor(total)
    clients = total
  }

  async function burst(plan: BurstPlan): Promise<BurstResult> {
    const total = Math.max(1, Math.round(plan.rate * plan.seconds))
    if (nextId + total > maxMessageId) nextId = 0
    const request = {
      firstId: nextId,
      total,
      startAtMs: nowMs() + leadMs(total),
      intervalMs: 1_000 / plan.rate,
      senders,
      textCharacters: plan.textCharacters ?? defaultTextCharacters,
    }
    nextId += total
    const [senderFleet, receiverFleet] = fleets as [Fleet, Fleet]
    const canBusyWait = plan.canSleep !== true
    const isReceiverHeavy = clients > 2 * senders
    await Promise.all([
      receiverFleet.call('startBurst', { ...request, isSender: false, shouldBusyWait: canBusyWait && isReceiverHeavy }),
      senderFleet.call('startBurst', { ...request, isSender: true, shouldBusyWait: canBusyWait && !isReceiverHeavy }),
    ])
    const cpuBefore = server.cpuMs()
    const machineBefore = machineCpuMs()
    const observedSinceMs = nowMs()
    const deadlineMs = request.startAtMs + total * request.intervalMs + (plan.drainMs ?? 10_000)
    const reports = await Promise.all(fleets.map((fleet) => fleet.call('finishBurst', { deadlineMs })))
    const cpuMs = server.cpuMs() - cpuBefore
    const ownMs = cpuMs + reports.reduce((sum, report) => sum + report.cpuMs, 0)
    const coresMs = (nowMs() - observedSinceMs) * availableParallelism()
    const otherProcessesShare = Math.max(0, (machineCpuMs() - machineBefore - ownMs) / coresMs)
    return { ...summarizeBurst(plan.rate, total, request.startAtMs, cpuMs, reports), otherProcessesShare }
  }

  function summarizeBurst(
    rate: number,
    messages: number,
    startAtMs: number,
    cpuMs: number,
    reports: BurstReport[],
  ): Omit<BurstResult, 'otherProcessesShare'> {
    const sum = (pick: (report: BurstReport) => number) => reports.reduce((total, report) => total + pick(report), 0)
    const delivered = sum((report) => report.delivered)
    const expected = sum((report) => report.expected)
    const buckets = mergeBuckets(reports.map(({ latencyBuckets }) => latencyBuckets))
    const acks = reports.find((report) => report.acks !== null)?.acks ?? null
    const areAcksCorrect =
      acks === null ||
      (acks.acknowledged === messages && acks.unexpected === 0 && acks.rejected === 0 && acks.hasDenseSeqs)
    const lastDeliveryMs = Math.max(...reports.map((report) => report.lastDeliveryMs))
    return {
      clients,
      rate,
      messages,
      delivered,
      expected,
      isComplete:
        delivered === expected && sum(({ incorrectConnections }) => incorrectConnections) === 0 && areAcksCorrect,
      isSameOrder: reports.every(({ isSameOrder }) => isSameOrder),
      cpuMs,
      wallMs: Math.max(...reports.map(({ wallMs }) => wallMs)),
      cpuUsPerDelivery: (cpuMs * 1_000) / delivered,
      cpuMsPerBroadcast: cpuMs / messages,
      deliveriesPerSecond: delivered / ((lastDeliveryMs - startAtMs) / 1_000),
      p50Ms: percentile(buckets, 0.5, bucketMs),
      p99Ms: percentile(buckets, 0.99, bucketMs),
      bytesPerDelivery: sum(({ bytes }) => bytes) / delivered,
      worstSendDelayMs: Math.max(...reports.map(({ worstSendDelayMs }) => worstSendDelayMs)),
      loadGeneratorBusyShare: sum((report) => report.busyMs) / Math.max(...reports.map(({ wallMs }) => wallMs)),
      acknowledged: acks?.acknowledged ?? null,
      closedConnections: sum(({ closedConnections }) => closedConnections),
    }
  }

  /** Sends a burst so that the JIT compiles the hot paths of the server and the load generator before the measurement. */
  async function warmUp(): Promise<void> {
    await burst({ rate: 60, seconds: 3 })
    await wait(200)
  }

  async function close(): Promise<void> {
    await Promise.allSettled(fleets.map((fleet) => fleet.stop()))
    await server.stop()
  }

  return { server, fleets, burst, resize, warmUp, close }
}
export type Room = Awaited<ReturnType<typeof openRoom>>
