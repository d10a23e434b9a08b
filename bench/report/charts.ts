import { machineSummary } from '../machine.ts'
import { type PeerId, peerIds } from '../peers/peer.ts'
import { p99LimitMs } from '../scenarios/rates.ts'
import {
  fanoutPoints,
  memoryPerConnection,
  ratePoints,
  joinStormSummaries,
  sustained,
  sustainedRatePoints,
} from './aggregate.ts'
import { type Bar, barChart } from './bar-chart.ts'
import { lineChart } from './line-chart.ts'
import { naiveBytes, joinStormSizes } from '../scenarios/join-storm.ts'
import { measuredPeers, type Results } from './results.ts'
import type { Summary } from './statistics.ts'
import { otherColors, ownColor, shortNumber } from './svg-page.ts'

function bars(
  results: Results,
  scenario: 'rates' | 'fanout',
  summaryOf: (peer: PeerId) => Summary | null,
  format: (value: number) => string,
) {
  return measuredPeers(results, scenario).flatMap(({ id, label }): Bar[] => {
    const summary = summaryOf(id)
    if (summary === null || !Number.isFinite(summary.median)) return []
    const { median, min, max } = summary
    return [{ label, color: colorOf(id), value: median, min, max, text: format(median), isEmphasized: id === 'app' }]
  })
}

/** Returns the colour of a peer, the same in every chart. */
function colorOf(id: PeerId): string {
  return id === 'app' ? ownColor : otherColors[(peerIds.indexOf(id) - 1) % otherColors.length]!
}

/** Returns the charts as SVG by file name. Charts without data are left out. */
export function drawCharts(results: Results): Map<string, string> {
  const charts = new Map<string, string>()
  const machine = `Machine: ${machineSummary(results.machine)}`
  const basis = `Medians of ${results.runs} run${results.runs === 1 ? '' : 's'}; server and load generator on one core each; 60-character text`
  if (measuredPeers(results, 'rates').length > 0) {
    charts.set(
      'sustained.svg',
      barChart({
        title: 'Sustained deliveries a second, 1,000 clients',
        subtitle: [`p99 within ${p99LimitMs} ms, no message lost. Logarithmic. ${basis}`, machine],
        bars: bars(
          results,
          'rates',
          (peer) => sustained(results, peer),
          (value) => shortNumber(value),
        ).toSorted((a, b) => b.value - a.value),
        isLogarithmic: true,
      }),
    )
    charts.set(
      'cpu-by-rate.svg',
      lineChart({
        title: 'Server CPU per delivery, 1,000 clients',
        subtitle: [`Up to each server's limit. ${basis}`, machine],
        xLabel: 'messages a second',
        yLabel: 'µs of CPU per delivery',
        series: measuredPeers(results, 'rates').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          isEmphasized: id === 'app',
          points: sustainedRatePoints(results, id).map(({ x, cpuUsPerDelivery }) => ({
            x,
            y: cpuUsPerDelivery.median,
          })),
        })),
      }),
    )
    charts.set(
      'latency-by-rate.svg',
      lineChart({
        title: 'p99 latency from intended send time, 1,000 clients',
        subtitle: [basis, machine],
        xLabel: 'messages a second',
        yLabel: 'p99, ms',
        series: measuredPeers(results, 'rates').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          isEmphasized: id === 'app',
          points: ratePoints(results, id).map(({ x, p99Ms }) => ({ x, y: Math.min(p99Ms.median, 10_000) })),
        })),
        limit: { y: p99LimitMs, label: `${p99LimitMs} ms` },
      }),
    )
  }
  if (measuredPeers(results, 'fanout').length > 0) {
    charts.set(
      'cpu-by-room.svg',
      lineChart({
        title: 'Server CPU per delivery by room size, 5 msg/s',
        subtitle: [basis, machine],
        xLabel: 'clients',
        yLabel: 'µs of CPU per delivery',
        series: measuredPeers(results, 'fanout').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          isEmphasized: id === 'app',
          points: fanoutPoints(results, id).map(({ x, cpuUsPerDelivery }) => ({ x, y: cpuUsPerDelivery.median })),
        })),
      }),
    )
    charts.set(
      'latency-by-room.svg',
      lineChart({
        title: 'p99 latency from intended send time by room size, 5 msg/s',
        subtitle: [basis, machine],
        xLabel: 'clients',
        yLabel: 'p99, ms',
        series: measuredPeers(results, 'fanout').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          isEmphasized: id === 'app',
          points: fanoutPoints(results, id).map(({ x, p99Ms }) => ({ x, y: p99Ms.median })),
        })),
      }),
    )
    charts.set(
      'memory.svg',
      barChart({
        title: 'Memory per idle connection',
        subtitle: ['Resident memory at 10,000 connections minus the empty server, after garbage collection', machine],
        bars: bars(
          results,
          'fanout',
          (peer) => memoryPerConnection(results, peer),
          (value) => `${(value / 1_024).toFixed(1)} KiB`,
        ).toSorted((a, b) => a.value - b.value),
      }),
    )
  }
  const storms = joinStormSummaries(results, 'pages')
  if (storms.length > 1) {
    charts.set(
      'presence.svg',
      lineChart({
        title: 'Presence bytes per join',
        subtitle: ['All sockets connect at once. Naive: the full list to every client at every join', machine],
        xLabel: 'sockets',
        yLabel: 'bytes per join',
        series: [
          {
            label: 'Chat Room',
            color: colorOf('app'),
            isEmphasized: true,
            points: storms.map(({ sockets, presenceBytes }) => ({ x: sockets, y: presenceBytes.median / sockets })),
          },
          {
            label: 'naive: full lists',
            color: colorOf('socketio'),
            points: joinStormSizes.map((sockets) => ({ x: sockets, y: naiveBytes(sockets) / sockets })),
          },
        ],
      }),
    )
  }
  return charts
}
