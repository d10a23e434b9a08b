/** A fault put into the program on purpose, to see that it is found. */
interface Mutant {
  file: string
  find: string
  replace: string
}

export const mutants: Readonly<Record<string, Mutant>> = {
  'overlap at the hand-over': {
    file: 'server/room/deliver/audience.ts',
    find: 'subscriber.next += page.count',
    replace: 'subscriber.next += Math.max(1, page.count - 1)',
  },
  'acknowledged before it is stored': {
    file: 'server/room/send/room.ts',
    find: 'await log.append(entries, (outcomes) => {',
    replace: `const { head } = log.stand()
      for (const [index, { settle }] of batch.entries()) settle(head + index + 1)
      await log.append(entries, (outcomes) => {`,
  },
  'a place that was not asked for': {
    file: 'server/room/deliver/audience.ts',
    find: 'stand(subscriber, asked.seq)',
    replace: 'stand(subscriber, published)',
  },
  'a gap that nobody is told of': {
    file: 'server/room/deliver/audience.ts',
    find: 'if (page === null) return leaveGap(subscriber)',
    replace: 'if (page === null) { subscriber.next = published + 1; return }',
  },
  'a message that is stored and not broadcast': {
    file: 'server/room/deliver/audience.ts',
    find: 'if (subscriber.wantsPositions) positioned.push(subscriber)',
    replace: 'if (subscriber.wantsPositions && lastSeq % 7 !== 0) positioned.push(subscriber)',
  },
  'ids that are not kept': {
    file: 'server/storage/sqlite/log/sqlite-log-store.ts',
    find: 'sql.insert.run(seq, id,',
    replace: 'sql.insert.run(seq, null,',
  },
  'an epoch that survives a restored backup': {
    file: 'server/storage/sqlite/log/log-identity.ts',
    find: 'const isEpochRenewed = (!isNew || record !== null) && !continuesRecord',
    replace: 'const isEpochRenewed = false',
  },
  'answers that stay away': {
    file: 'server/room/send/room.ts',
    find: 'if (!overdue) {',
    replace: 'if (!overdue && outcomes.length !== 2) {',
  },
  'a list that keeps who has left': {
    file: 'server/room/presence/presence.ts',
    find: '      list.leave(id)\n',
    replace: '',
  },
  'a reader that is forgotten': {
    file: 'server/room/deliver/audience.ts',
    find: 'delivery.writeLive(positioned, page.positioned)',
    replace: 'setTimeout(() => delivery.writeLive(positioned, page.positioned), 7_000)',
  },
  'a newcomer placed where its node stands': {
    file: 'server/room/deliver/newcomer-position.ts',
    find: "(await log.newest()) ?? 'head'",
    replace: "'head'",
  },
  'a page ahead of its node that is put back': {
    file: 'server/room/deliver/audience.ts',
    find: 'return asked.epoch !== epoch || asked.seq > published ? log.catchUp(asked) : null',
    replace: 'return null',
  },
  'a reader that skips a message when it is back': {
    file: 'server/storage/redis/log/log-reader.ts',
    find: 'await checkEpoch(connection)\n',
    replace:
      'await checkEpoch(connection)\n        if (state.knownHead() > state.bounds().head) state.skipTo(state.bounds().head + 1)\n',
  },
  'a press that overtakes another': {
    file: 'web/connection/send/sender.ts',
    find: 'pressed.find(isPromised)',
    replace: 'pressed.findLast(isPromised)',
  },
}
