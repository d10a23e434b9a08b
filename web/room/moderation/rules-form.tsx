import { type SubmitEvent, useState } from 'react'
import { maxSlowModeSeconds } from '../../../contract/limits.ts'
import type { RoomRules } from '../../../contract/moderation.ts'

type RuleOf<Value> = { [Name in keyof RoomRules]: RoomRules[Name] extends Value ? Name : never }[keyof RoomRules]
type SwitchName = RuleOf<boolean>
type NumberName = RuleOf<number>

const switches: Readonly<Record<SwitchName, string>> = {
  accountsOnly: 'Registered users only',
  linksOff: 'No links',
  readOnly: 'Read-only',
}
const switchNames = Object.keys(switches) as SwitchName[]

const numbers: Readonly<Record<NumberName, { label: string; max: number }>> = {
  slowModeSeconds: { label: 'Slow mode: seconds between messages', max: maxSlowModeSeconds },
}
const numberNames = Object.keys(numbers) as NumberName[]

interface RulesFormProps {
  rules: RoomRules
  onSave: (changes: Partial<RoomRules>) => void
}

/** Returns the edits that differ from the stored rules. */
const changesOf = (edits: Partial<RoomRules>, rules: RoomRules): Partial<RoomRules> =>
  Object.fromEntries(Object.entries(edits).filter(([name, value]) => rules[name as keyof RoomRules] !== value))

/**
 * Form for the rules of the room. Nothing changes until the moderator presses Save. Save sends only the rules that this
 * moderator has changed, because another moderator may have changed other rules meanwhile.
 */
export function RulesForm({ rules, onSave }: RulesFormProps) {
  const [edits, setEdits] = useState<Partial<RoomRules>>({})
  const changes = changesOf(edits, rules)
  // An edit that equals the stored rule, such as a saved edit, would hide a later change of the rule.
  if (Object.keys(changes).length < Object.keys(edits).length) setEdits(changes)
  const edit = (change: Partial<RoomRules>) => setEdits({ ...edits, ...change })
  const shown = { ...rules, ...edits }

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSave(changes)
  }
  return (
    <form method="dialog" onSubmit={submit} className="rules-form">
      {switchNames.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={shown[name]} onChange={({ target }) => edit({ [name]: target.checked })} />
          {switches[name]}
        </label>
      ))}
      {numberNames.map((name) => (
        <label key={name}>
          {numbers[name].label}
          <input
            type="number"
            min={0}
            max={numbers[name].max}
            required
            // An empty field is NaN, and `required` rejects it.
            value={Number.isNaN(shown[name]) ? '' : shown[name]}
            onChange={({ target }) => edit({ [name]: target.valueAsNumber })}
          />
        </label>
      ))}
      <button type="submit" className="button">
        Save rules
      </button>
    </form>
  )
}
