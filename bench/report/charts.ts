import { type PeerId, peerIds } from '../peers/peer.ts'
import { p99LimitMs } from '../scenarios/rates.ts'
import {
  fanoutPoints,
  memoryPerConnection,
  ratePoints,
  stormSummaries,
  sustained,
  sustainedRatePoints,
} from './aggregate.ts'
import { type Bar, barChart } from './bar-chart.ts'
import { lineChart } from './line-chart.ts'
import { naiveBytes, stormSizes } from '../scenarios/join-storm.ts'
import { peersIn, type Results } from './results.ts'
import type { Summary } from './statistics.ts'
import { otherColors, ownColor, shortNumber } from './svg-page.ts'

function bars(
  results: Results,
  scenario: 'rates' | 'fanout',
  of: (peer: PeerId) => Summary | null,
  unit: (value: number) => string,
) {
  return peersIn(results, scenario).flatMap(({ id, label }): Bar[] => {
    const summary = of(id)
    if (summary === null || !Number.isFinite(summary.median)) return []
    const { median, min, max } = summary
    return [{ label, color: colorOf(id), value: median, min, max, text: unit(median), emphasized: id === 'app' }]
  })
}

/** A server has the same colour in every chart. */
function colorOf(id: PeerId): string {
  return id === 'app' ? ownColor : otherColors[(peerIds.indexOf(id) - 1) % otherColors.length]!
}

/** Every chart the results have figures for, by file name. */
export function drawCharts(results: Results): Map<string, string> {
  const charts = new Map<string, string>()
  const basis = `Medians of ${results.runs} run${results.runs === 1 ? '' : 's'}; server on one core, load on another; 60-character text`
  if (peersIn(results, 'rates').length > 0) {
    charts.set(
      'sustained.svg',
      barChart({
        title: 'Sustained deliveries a second, 1,000 clients',
        subtitle: `p99 within ${p99LimitMs} ms, nothing lost. Logarithmic. ${basis}`,
        bars: bars(
          results,
          'rates',
          (peer) => sustained(results, peer),
          (value) => shortNumber(value),
        ).toSorted((a, b) => b.value - a.value),
        logarithmic: true,
      }),
    )
    charts.set(
      'cpu-by-rate.svg',
      lineChart({
        title: 'Server CPU per delivery, 1,000 clients',
        subtitle: `Up to each server's limit. ${basis}`,
        xLabel: 'messages a second',
        yLabel: 'µs of CPU per delivery',
        series: peersIn(results, 'rates').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          emphasized: id === 'app',
          points: sustainedRatePoints(results, id).map(({ at, cpuUsPerDelivery }) => ({
            x: at,
            y: cpuUsPerDelivery.median,
          })),
        })),
      }),
    )
    charts.set(
      'latency-by-rate.svg',
      lineChart({
        title: 'p99 latency from intended send time, 1,000 clients',
        subtitle: basis,
        xLabel: 'messages a second',
        yLabel: 'p99, ms',
        series: peersIn(results, 'rates').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          emphasized: id === 'app',
          points: ratePoints(results, id).map(({ at, p99Ms }) => ({ x: at, y: Math.min(p99Ms.median, 10_000) })),
        })),
        limit: { y: p99LimitMs, label: `${p99LimitMs} ms` },
      }),
    )
  }
  if (peersIn(results, 'fanout').length > 0) {
    charts.set(
      'cpu-by-room.svg',
      lineChart({
        title: 'Server CPU per delivery by room size, 5 msg/s',
        subtitle: basis,
        xLabel: 'clients',
        yLabel: 'µs of CPU per delivery',
        series: peersIn(results, 'fanout').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          emphasized: id === 'app',
          points: fanoutPoints(results, id).map(({ at, cpuUsPerDelivery }) => ({ x: at, y: cpuUsPerDelivery.median })),
        })),
      }),
    )
    charts.set(
      'latency-by-room.svg',
      lineChart({
        title: 'p99 latency from intended send time by room size, 5 msg/s',
        subtitle: basis,
        xLabel: 'clients',
        yLabel: 'p99, ms',
        series: peersIn(results, 'fanout').map(({ id, label }) => ({
          label,
          color: colorOf(id),
          emphasized: id === 'app',
          points: fanoutPoints(results, id).map(({ at, p99Ms }) => ({ x: at, y: p99Ms.median })),
        })),
      }),
    )
    charts.set(
      'memory.svg',
      barChart({
        title: 'Memory per idle connection',
        subtitle: 'Resident memory at 10,000 connections less that of the empty server, after a collection',
        bars: bars(
          results,
          'fanout',
          (peer) => memoryPerConnection(results, peer),
          (value) => `${(value / 1_024).toFixed(1)} KiB`,
        ).toSorted((a, b) => a.value - b.value),
      }),
    )
  }
  const storms = stormSummaries(results, 'pages')
  if (storms.length > 1) {
    charts.set(
      'presence.svg',
      lineChart({
        title: 'Presence bytes per join',
        subtitle: 'Sockets that all come at once; whole lists to everybody at every join against our page',
        xLabel: 'sockets',
        yLabel: 'bytes per join',
        series: [
          {
            label: 'Chat Room',
            color: colorOf('app'),
            emphasized: true,
            points: storms.map(({ sockets, presenceBytes }) => ({ x: sockets, y: presenceBytes.median / sockets })),
          },
          {
            label: 'naive: a list to all',
            color: colorOf('socketio'),
            points: stormSizes.map((sockets) => ({ x: sockets, y: naiveBytes(sockets) / sockets })),
          },
        ],
      }),
    )
  }
  return charts
}
