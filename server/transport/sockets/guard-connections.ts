import type { Socket as EngineSocket, Transport } from 'engine.io'
import type { IncomingMessage } from 'node:http'
import { createPollingResponses } from '../fast-path/polling-responses.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Guard } from '../../base/error-guard.ts'
import type { Admission, AdmissionState } from '../../limits/admission.ts'
import type { CostMeter } from '../../limits/cost-meter.ts'
import type { Report } from '../../observe/events.ts'
import { createPacketCounter, type PacketSource } from '../fast-path/count-packets.ts'
import { createClosingTurns } from '../fast-path/closing-turns.ts'
import { createPacketTurns } from '../fast-path/packet-turns.ts'
import type { createEngineGate } from './engine-gate.ts'
import type { GuardedEngine } from './guarded-engine.ts'
import { createJoinDeadline } from './join-deadline.ts'
import { boundPayload } from '../fast-path/polling-payload.ts'

interface GuardDeps {
  engine: GuardedEngine
  gate: ReturnType<typeof createEngineGate>
  admission: Admission
  maxConnectionsPerIp: number
  cost: CostMeter<EngineSocket>
  guard: Guard
  report: Report
}

/**
 * Counts connections and stores the admission state of each. Closes connections that flood or do not ask to join in
 * time. Charges the inputs of connections to the cost meter, which closes costly connections.
 */
export function guardConnections({ engine, gate, admission, maxConnectionsPerIp, cost, guard, report }: GuardDeps) {
  const admissions = new WeakMap<EngineSocket | PacketSource, AdmissionState>()
  const connections = new WeakMap<AdmissionState, EngineSocket>()
  const joinDeadline = createJoinDeadline(maxConnectionsPerIp)
  /** Admission state of the connection whose packet is being decoded. */
  let decoding: AdmissionState | undefined
  const countPackets = createPacketCounter(countPacket)
  const networksOf = (source: EngineSocket | PacketSource) => admissions.get(source)?.networks ?? null
  const handlePacketsInTurns = createPacketTurns(networksOf, (webSocket) => (decoding = admissions.get(webSocket)))
  const closeInTurns = createClosingTurns(networksOf)
  const boundResponses = createPollingResponses({ networksOf, guard, report })

  function countPacket(source: PacketSource, packetBytes: number): boolean {
    const admitted = admissions.get(source)
    // A polling transport decodes each packet as soon as it is counted.
    decoding = admitted
    try {
      if (admitted !== undefined && admission.countPacket(admitted, packetBytes)) return true
      report({ type: 'flood-closed', address: admitted?.address ?? '' })
    } catch (error) {
      report({ type: 'callback-failed', callback: 'packet count', error })
    }
    return false
  }

  // All connections share this function. Engine.IO calls it with the connection as `this`.
  function onClose(this: EngineSocket): void {
    const admitted = admissions.get(this)
    if (admitted !== undefined) admission.removeConnection(admitted)
    joinDeadline.remove(this)
  }
  function charge(admitted: AdmissionState | undefined, startedMs: number): void {
    const costMs = cost.costSince(startedMs)
    if (costMs > 0 && admitted !== undefined) cost.charge(admitted.networks, connections.get(admitted) ?? null, costMs)
  }
  const onCloseGuarded = guard.wrap('engine close', onClose, () => undefined)

  engine.use(gate.middleware)
  engine.watchTransports((transport: Transport, request: IncomingMessage, session: EngineSocket | undefined) => {
    const admitted = session === undefined ? gate.admissionOf(request) : admissions.get(session)
    if (admitted === undefined) throw new Error('transport without admission')
    boundPayload(transport)
    admissions.set(countPackets(transport), admitted)
    handlePacketsInTurns(transport)
    closeInTurns(transport)
  })
  engine.on(
    'connection',
    guard.wrap(
      'engine connection',
      (connection: EngineSocket & { request: IncomingMessage }) => {
        const admitted = gate.admissionOf(connection.request)
        if (admitted === undefined) return terminate(connection)
        admissions.set(connection, admitted)
        connections.set(admitted, connection)
        admission.addConnection(admitted)
        joinDeadline.add(connection, admitted.networks)
        connection.on('close', onCloseGuarded)
        boundResponses(connection)
      },
      terminate,
    ),
  )

  /** Returns the admission state for the first socket of a connection; `null` for any further socket. */
  function admit(connection: EngineSocket): AdmissionState | null {
    const admitted = admissions.get(connection)
    // Allow one socket per connection: otherwise one connection could fill the list of online users.
    if (admitted?.hasAskedToConnect !== false) return null
    admitted.hasAskedToConnect = true
    joinDeadline.remove(connection)
    return admitted
  }

  return {
    admit,
    startCost: () => cost.start(),
    /** Charges the decoding of the current packet. */
    chargeDecoding: (startedMs: number) => charge(decoding, startedMs),
    /** Charges the synchronous work of an event. */
    chargeEvent: (connection: EngineSocket, startedMs: number) => charge(admissions.get(connection), startedMs),
    /** Returns 0, or the time until the address of the connection may send again. */
    costWaitMs: (connection: EngineSocket) => cost.inputWaitMs(admissions.get(connection)?.networks ?? null),
  }
}
