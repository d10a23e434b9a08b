export interface AckReport {
  sent: number
  acknowledged: number
  refused: number
  /** Answers that came twice or for nothing that was sent. */
  unexpected: number
  /** Every acknowledged message has a place of its own in the log, and the places are dense. */
  denseSeqs: boolean
}

/** Every message has an answer, exactly one, and every stored one its own place. */
export function createAckLedger() {
  let waiting = new Set<number>()
  let acknowledged = 0
  let refused = 0
  let unexpected = 0
  let smallest = Infinity
  let largest = -Infinity
  let seqs = new Set<number>()

  return {
    begin(): void {
      waiting = new Set()
      seqs = new Set()
      acknowledged = 0
      refused = 0
      unexpected = 0
      smallest = Infinity
      largest = -Infinity
    },
    expect(ackId: number): void {
      waiting.add(ackId)
    },
    settle(ackId: number, seq: number | null): void {
      if (!waiting.delete(ackId)) {
        unexpected++
        return
      }
      if (seq === null) {
        refused++
        return
      }
      acknowledged++
      seqs.add(seq)
      smallest = Math.min(smallest, seq)
      largest = Math.max(largest, seq)
    },
    pending: () => waiting.size,
    report(sent: number): AckReport {
      const denseSeqs = acknowledged === 0 || (seqs.size === acknowledged && largest - smallest + 1 === acknowledged)
      return { sent, acknowledged, refused, unexpected, denseSeqs }
    },
  }
}
