import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { nowMs } from '../driver/clock.ts'
import type { BurstReport } from '../driver/fleet-protocol.ts'
import { maxMessageId } from '../driver/message-text.ts'
import { bucketMs } from '../driver/tally.ts'
import type { Peer } from '../peers/peer.ts'
import { mergeBuckets, percentile } from '../report/statistics.ts'
import { type Fleet, startFleet } from './fleet-process.ts'
import { machineCpuMs } from './process-usage.ts'
import { type StartOptions, startServer } from './server-process.ts'

/** The message: 60 characters. */
const textCharacters = 60
const defaultSenders = 50

/** How long before its first message a burst is ordered: the sending process makes all of them beforehand. */
export const leadMs = (messages: number): number => 120 + messages * 0.04

export interface BurstPlan {
  rate: number
  seconds: number
  textCharacters?: number
  /** How long after the last message's due time the deliveries may still arrive. */
  drainMs?: number
  /** The load may sleep: it is not the server that is measured, but a page that shares the load's cores (`vigil.ts`). */
  sleeps?: boolean
}

export interface BurstResult {
  clients: number
  rate: number
  messages: number
  delivered: number
  expected: number
  /** Every connection got every message exactly once, and every acknowledgement came. */
  complete: boolean
  sameOrder: boolean
  cpuMs: number
  wallMs: number
  cpuUsPerDelivery: number
  cpuMsPerBroadcast: number
  deliveriesPerSecond: number
  p50Ms: number
  p99Ms: number
  bytesPerDelivery: number
  worstSendDelayMs: number
  /** The load's share of its own core; near 1 it is the load that is measured. */
  loadBusy: number
  /** What others on the machine used meanwhile, as a share of all its cores; it disturbs what is measured. */
  foreignShare: number
  acknowledged: number | null
  closedConnections: number
}

interface RoomOptions extends StartOptions {
  senders?: number
  /** Of another server, where those who send are connected. */
  sendersPort?: number
}

/** A server under test with its clients: some who also send, in one process, and all the others, in a second. */
export async function openRoom(peer: Peer, clients: number, options: RoomOptions = {}) {
  const server = await startServer(peer, options)
  const setup = { dialect: peer.dialect, port: server.port, auth: peer.auth }
  const setupOfSenders = { ...setup, port: options.sendersPort ?? server.port }
  const fleets: Fleet[] = []
  let nextId = 0
  let senders = 0

  try {
    fleets.push(await startFleet(setupOfSenders), await startFleet(setup))
    await resize(clients)
  } catch (error) {
    await close()
    throw error
  }

  function sendersFor(total: number): number {
    return Math.min(options.senders ?? defaultSenders, options.senders === undefined ? total >> 1 : total)
  }

  async function resize(total: number): Promise<void> {
    const [sending, receiving] = fleets as [Fleet, Fleet]
    for (const [fleet, wanted] of [
      [sending, sendersFor(total)],
      [receiving, total - sendersFor(total)],
    ] as const) {
      const { open } = await fleet.call('state', null)
      if (open > wanted) await fleet.call('keep', { count: wanted })
      else if (open < wanted) await fleet.call('connect', { count: wanted - open })
    }
    senders = sendersFor(total)
    clients = total
  }

  async function burst(plan: BurstPlan): Promise<BurstResult> {
    const total = Math.max(1, Math.round(plan.rate * plan.seconds))
    if (nextId + total > maxMessageId) nextId = 0
    const order = {
      firstId: nextId,
      total,
      startAtMs: nowMs() + leadMs(total),
      intervalMs: 1_000 / plan.rate,
      senders,
      textCharacters: plan.textCharacters ?? textCharacters,
    }
    nextId += total
    const [sending, receiving] = fleets as [Fleet, Fleet]
    const isAwake = plan.sleeps !== true
    const mostReceive = clients > 2 * senders
    await Promise.all([
      receiving.call('begin', { ...order, send: false, awake: isAwake && mostReceive }),
      sending.call('begin', { ...order, send: true, awake: isAwake && !mostReceive }),
    ])
    const cpuBefore = server.cpuMs()
    const machineBefore = machineCpuMs()
    const observedFromMs = nowMs()
    const deadlineMs = order.startAtMs + total * order.intervalMs + (plan.drainMs ?? 10_000)
    const reports = await Promise.all(fleets.map((fleet) => fleet.call('finish', { deadlineMs })))
    const cpuMs = server.cpuMs() - cpuBefore
    const ownMs = cpuMs + reports.reduce((sum, report) => sum + report.cpuMs, 0)
    const coresMs = (nowMs() - observedFromMs) * availableParallelism()
    const foreignShare = Math.max(0, (machineCpuMs() - machineBefore - ownMs) / coresMs)
    return { ...resultOf(plan.rate, total, order.startAtMs, cpuMs, reports), foreignShare }
  }

  function resultOf(
    rate: number,
    messages: number,
    startAtMs: number,
    cpuMs: number,
    reports: BurstReport[],
  ): Omit<BurstResult, 'foreignShare'> {
    const sum = (pick: (report: BurstReport) => number) => reports.reduce((total, report) => total + pick(report), 0)
    const delivered = sum((report) => report.delivered)
    const expected = sum((report) => report.expected)
    const buckets = mergeBuckets(reports.map(({ latencyBuckets }) => latencyBuckets))
    const acks = reports.find((report) => report.acks !== null)?.acks ?? null
    const acksRight =
      acks === null || (acks.acknowledged === messages && acks.unexpected === 0 && acks.refused === 0 && acks.denseSeqs)
    const lastDeliveryMs = Math.max(...reports.map((report) => report.lastDeliveryMs))
    return {
      clients,
      rate,
      messages,
      delivered,
      expected,
      complete: delivered === expected && sum(({ wrongConnections }) => wrongConnections) === 0 && acksRight,
      sameOrder: reports.every(({ sameOrder }) => sameOrder),
      cpuMs,
      wallMs: Math.max(...reports.map(({ wallMs }) => wallMs)),
      cpuUsPerDelivery: (cpuMs * 1_000) / delivered,
      cpuMsPerBroadcast: cpuMs / messages,
      deliveriesPerSecond: delivered / ((lastDeliveryMs - startAtMs) / 1_000),
      p50Ms: percentile(buckets, 0.5, bucketMs),
      p99Ms: percentile(buckets, 0.99, bucketMs),
      bytesPerDelivery: sum(({ bytes }) => bytes) / delivered,
      worstSendDelayMs: Math.max(...reports.map(({ worstSendDelayMs }) => worstSendDelayMs)),
      loadBusy: sum((report) => report.busyMs) / Math.max(...reports.map(({ wallMs }) => wallMs)),
      acknowledged: acks?.acknowledged ?? null,
      closedConnections: sum(({ closedConnections }) => closedConnections),
    }
  }

  /** Compiles the hot paths of both sides before anything is measured. */
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
