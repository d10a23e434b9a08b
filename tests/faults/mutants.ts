/** Defect inserted into the program on purpose, to test that the checker or the simulation finds it. */
interface Mutant {
  file: string
  find: string
  replace: string
}

export const mutants: Readonly<Record<string, Mutant>> = {
  'replay and live delivery overlap': {
    file: 'server/room/deliver/audience.ts',
    find: 'replaying.nextSeq += page.count',
    replace: 'replaying.nextSeq += Math.max(1, page.count - 1)',
  },
  'acknowledged before it is stored': {
    file: 'server/room/send/room.ts',
    find: 'await log.append(entries, onStored,',
    replace: `const { head } = log.bounds()
      for (const [index, { acknowledge }] of batch.entries()) acknowledge(head + index + 1)
      await log.append(entries, onStored,`,
  },
  'client resumes at another position than requested': {
    file: 'server/room/deliver/audience.ts',
    find: 'setPosition(subscriber, replaying, continuationOf(requested, publishedLine()))',
    replace: 'setPosition(subscriber, replaying, published)',
  },
  'gap without notification': {
    file: 'server/room/deliver/audience.ts',
    find: 'if (page === null) return skipGap(subscriber, replaying)',
    replace: 'if (page === null) { replaying.nextSeq = published + 1; return }',
  },
  'message stored but not broadcast': {
    file: 'server/room/deliver/audience.ts',
    find: 'if (subscriber.wantsPositions) positioned.push(subscriber)',
    replace: 'if (subscriber.wantsPositions && lastSeq % 7 !== 0) positioned.push(subscriber)',
  },
  'message ids not stored': {
    file: 'server/storage/sqlite/log/sqlite-log-store.ts',
    find: 'sql.insert.run(seq, id,',
    replace: 'sql.insert.run(seq, null,',
  },
  'loss without a new epoch': {
    file: 'server/storage/sqlite/log/log-identity.ts',
    find: 'const isEpochRenewed = (!isNew || record !== null) && !continuesRecord',
    replace: 'const isEpochRenewed = false',
  },
  'missing acknowledgements': {
    file: 'server/room/send/room.ts',
    find: 'acknowledgeBatch(isRejected ? [] : batch',
    replace: 'acknowledgeBatch(isRejected || outcomes.length === 2 ? [] : batch',
  },
  'disconnected users stay in the online list': {
    file: 'server/room/presence/presence.ts',
    find: '      list.leave(id)\n',
    replace: '',
  },
  'late live delivery': {
    file: 'server/room/deliver/audience.ts',
    find: 'delivery.writeLive(positioned, page.positioned)',
    replace: 'setTimeout(() => delivery.writeLive(positioned, page.positioned), 7_000)',
  },
  'new client starts at the head of a lagging node': {
    file: 'server/room/deliver/newcomer-position.ts',
    find: "return head === null ? 'head' : { ...head, removals: log.removals().count() }",
    replace: "return 'head'",
  },
  'client ahead of its node loses its position': {
    file: 'server/room/deliver/audience.ts',
    find: 'return hasRemovals && canPlace(requested, publishedLine()) ? null : log.catchUp(requested)',
    replace: 'return null',
  },
  'log reader skips a message after a reconnect': {
    file: 'server/storage/redis/log/log-reader.ts',
    find: 'await adopt(connection)\n',
    replace:
      'await adopt(connection)\n        if (state.knownHead() > state.bounds().head) state.update({ head: 0, oldest: state.bounds().head + 2 })\n',
  },
  'messages sent out of order': {
    file: 'web/connection/send/sender.ts',
    find: 'outbox.find(isPending)',
    replace: 'outbox.findLast(isPending)',
  },
  'term of a position ignored': {
    file: 'server/room/lineage.ts',
    find: 'if (term === undefined) return',
    replace: 'if (term !== null) return',
  },
  'empty term used again': {
    file: 'server/room/lineage.ts',
    find: 'return [base, ...rest, createTerm(',
    replace: `if (newestTerm(lineage).first > head && newestTerm(lineage).epoch === epoch) return lineage
  return [base, ...rest, createTerm(`,
  },
  'messages labelled with the newest term': {
    file: 'server/room/lineage.ts',
    find: 'lineage.findLast(({ first }) => first <= seq) ?? lineage[0]',
    replace: 'newestTerm(lineage)',
  },
  'position of a lost line taken for one of the log': {
    file: 'server/storage/redis/log/log-state.ts',
    find: 'Math.min(delivered, common)',
    replace: 'delivered',
  },
  'record of the head accepted as proof that nothing was lost': {
    file: 'server/storage/sqlite/log/log-identity.ts',
    find: ': beginTerm(line,',
    replace: ': continuesRecord ? before.lineage : beginTerm(line,',
  },
  'age of messages jumps with the clock of Redis': {
    file: 'server/storage/redis/log/redis-log.ts',
    find: 'calledAtMs + maxLeadMs',
    replace: 'calledAtMs + maxLeadMs + 1e12',
  },
  'removed texts kept in memory': {
    file: 'server/room/deliver/audience.ts',
    find: '    recent.mask(removed)\n',
    replace: '',
  },
  'missed removals not sent': {
    file: 'server/room/deliver/removal-delivery.ts',
    find: "requested === 'head' ? history.count() : knownRemovals",
    replace: 'history.count() >= 0 ? history.count() : knownRemovals',
  },
  'messages of muted clients accepted': {
    file: 'server/moderation/policy.ts',
    find: "const restriction = restrictions.find(sender, 'sending', nowMs)",
    replace: "const restriction = restrictions.find(sender, 'connecting', nowMs)",
  },
  'end of a restriction ignored': {
    file: 'server/moderation/moderation-state.ts',
    find: 'current = snapshot\n',
    replace:
      'if (snapshot.restrictions.inEffect(0).length >= previous.restrictions.inEffect(0).length) current = snapshot\n',
  },
  'position judged by a stale lineage': {
    file: 'server/room/lineage.ts',
    find: 'indexOf(cursor, lineage) !== -1 && lineage.some(',
    replace: 'indexOf(cursor, lineage) !== -1 || lineage.some(',
  },
  'revoked login still sends through a node that is behind': {
    file: 'server/storage/redis/log/redis-log.ts',
    find: 'entries.map((_, index) => isAllowed(index))',
    replace: 'entries.map(() => true)',
  },
}

/** Inserts a mutant into the source of a file. Returns `null` if the mutant is for another file. */
export function insertMutant(name: string, path: string, read: () => string): string | null {
  const mutant = mutants[name]
  if (mutant === undefined) throw new Error(`'${name}' is not a mutant; use one of ${Object.keys(mutants).join(', ')}`)
  if (!path.endsWith(mutant.file)) return null
  const source = read()
  // Without this check, a mutant of removed code would change nothing.
  if (!source.includes(mutant.find)) throw new Error(`mutant '${name}' does not match ${mutant.file}`)
  return source.replace(mutant.find, mutant.replace)
}
