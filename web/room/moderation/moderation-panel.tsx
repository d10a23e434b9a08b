import { useEffect, useRef, useState } from 'react'
import type {
  AuditEntry,
  ModerationOverview,
  ModeratorAction,
  RestrictionView,
  RoomRules,
} from '../../../contract/moderation.ts'
import { useRoomActions } from '../../connection/hooks.ts'
import { timeText } from '../entry/time-format.ts'
import { auditText, endText, kindText, resultText } from './action-result.ts'
import { Modal } from './modal.tsx'
import { RulesForm } from './rules-form.tsx'

interface RestrictionsProps {
  restrictions: readonly RestrictionView[]
  onEnd: (id: string) => void
}

function Restrictions({ restrictions, onEnd }: RestrictionsProps) {
  if (restrictions.length === 0) return <p className="text-ink-soft">No mutes or bans.</p>
  return (
    <ul className="moderation-list">
      {restrictions.map(({ id, kind, target, reason, endsAtMs }) => (
        <li key={id}>
          <p>
            <bdi className="font-semibold">{target}</bdi> {kindText[kind]} {endText(endsAtMs)}
            {reason !== null && (
              <>
                : <bdi>{reason}</bdi>
              </>
            )}
          </p>
          <button type="button" aria-label={`Undo: ${kind} ${target}`} onClick={() => onEnd(id)}>
            Undo
          </button>
        </li>
      ))}
    </ul>
  )
}

function Audit({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <p className="text-ink-soft">No actions yet.</p>
  return (
    <ol className="moderation-list" reversed>
      {entries.map(({ atMs, actor, action, target, reason, endsAtMs }, index) => (
        <li key={`${atMs} ${index}`}>
          <p>
            <span className="text-ink-soft">{timeText(atMs)}</span> <bdi className="font-semibold">{actor}</bdi>{' '}
            {auditText(action)} <bdi>{target}</bdi>
            {endsAtMs !== null && ` ${endText(endsAtMs)}`}
            {reason !== null && (
              <>
                : <bdi>{reason}</bdi>
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
  )
}

/** Dialog with the rules of the room, the mutes and bans in effect, and the recent actions. */
export function ModerationPanel({ onClose }: { onClose: () => void }) {
  const { moderate } = useRoomActions()
  const [overview, setOverview] = useState<ModerationOverview | null>(null)
  const [result, setResult] = useState('')
  const [actionCount, setActionCount] = useState(0)
  const restrictionsTitle = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    void moderate({ type: 'overview' }).then((ack) => {
      if (ack.ok && ack.overview !== undefined) setOverview(ack.overview)
      else setResult(resultText({ type: 'overview' }, ack))
    })
    // The overview loads again after each action, because an action changes it.
  }, [moderate, actionCount])

  const act = async (action: ModeratorAction) => {
    setResult(resultText(action, await moderate(action)))
    setActionCount((count) => count + 1)
  }

  const saveRules = (rules: Partial<RoomRules>) =>
    Object.keys(rules).length === 0 ? setResult('No rule has changed.') : void act({ type: 'set-rules', rules })

  const endRestriction = (id: string) => {
    // The button that has the focus disappears. From the heading, Tab moves to the next button.
    restrictionsTitle.current?.focus()
    return act({ type: 'end-restriction', id })
  }

  return (
    <Modal title="Moderation" className="moderation-panel" onClose={onClose}>
      <output className="moderation-result">{result}</output>
      {overview === null ? (
        <p>Loading…</p>
      ) : (
        <>
          <h4>Rules of the room</h4>
          <RulesForm rules={overview.rules} onSave={saveRules} />
          <h4 ref={restrictionsTitle} tabIndex={-1}>
            Mutes and bans
          </h4>
          <Restrictions restrictions={overview.restrictions} onEnd={(id) => void endRestriction(id)} />
          <h4>Recent actions</h4>
          <Audit entries={overview.audit} />
        </>
      )}
    </Modal>
  )
}
