import { type SubmitEvent, useEffect, useRef } from 'react'
import { maxSlowModeSeconds } from '../../../contract/limits.ts'
import type { RoomRules } from '../../../contract/moderation.ts'

type SwitchName = { [Name in keyof RoomRules]: RoomRules[Name] extends boolean ? Name : never }[keyof RoomRules]

const switches: Readonly<Record<SwitchName, string>> = {
  accountsOnly: 'Registered users only',
  linksOff: 'No links',
  readOnly: 'Read only',
}
const switchNames = Object.keys(switches) as SwitchName[]

interface RulesFormProps {
  rules: RoomRules
  onSave: (rules: Partial<RoomRules>) => void
}

/** Form for the rules of the room. Nothing changes until the moderator presses Save. */
export function RulesForm({ rules, onSave }: RulesFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const stored = JSON.stringify(rules)
  // Show the stored rules when they change. A new form would lose the focus.
  useEffect(() => form.current?.reset(), [stored])

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    onSave({
      ...Object.fromEntries(switchNames.map((name) => [name, fields.has(name)])),
      slowModeSeconds: Number(fields.get('slowModeSeconds')),
    })
  }
  return (
    <form ref={form} method="dialog" onSubmit={submit} className="rules-form">
      {switchNames.map((name) => (
        <label key={name}>
          <input type="checkbox" name={name} defaultChecked={rules[name]} />
          {switches[name]}
        </label>
      ))}
      <label>
        Slow mode: seconds between messages
        <input
          type="number"
          name="slowModeSeconds"
          min={0}
          max={maxSlowModeSeconds}
          required
          defaultValue={rules.slowModeSeconds}
        />
      </label>
      <button type="submit" className="button">
        Save rules
      </button>
    </form>
  )
}
