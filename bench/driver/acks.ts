export interface AckReport {
  sent: number
  acknowledged: number
  rejected: number
  /** Number of acks for a message that has no pending ack: an unknown message or a repeated ack. */
  unexpected: number
  /** True if the acknowledged messages have distinct, consecutive sequence numbers. */
  hasDenseSeqs: boolean
}

/**
 * Tracks acks. Counts acknowledged, rejected, unexpected and pending ones, and checks that the sequence numbers of the acknowledged
 * messages are distinct and consecutive.
 */
export function createAckTracker() {
  let pendingIds = new Set<number>()
  let acknowledged = 0
  let rejected = 0
  let unexpected = 0
  let smallest = Infinity
  let largest = -Infinity
  let seqs = new Set<number>()

  return {
    reset(): void {
      pendingIds = new Set()
      seqs = new Set()
      acknowledged = 0
      rejected = 0
      unexpected = 0
      smallest = Infinity
      largest = -Infinity
    },
    expect(ackId: number): void {
      pendingIds.add(ackId)
    },
    onAck(ackId: number, seq: number | null): void {
      if (!pendingIds.delete(ackId)) {
        unexpected++
        return
      }
      if (seq === null) {
        rejected++
        return
      }
      acknowledged++
      seqs.add(seq)
      smallest = Math.min(smallest, seq)
      largest = Math.max(largest, seq)
    },
    pendingCount: () => pendingIds.size,
    report(sent: number): AckReport {
      const hasDenseSeqs = acknowledged === 0 || (seqs.size === acknowledged && largest - smallest + 1 === acknowledged)
      return { sent, acknowledged, rejected, unexpected, hasDenseSeqs }
    },
  }
}
