import { type SubmitEvent, useEffect, useRef } from 'react'
import type { RoomRules } from '../../../contract/moderation.ts'

const maxSlowModeSeconds = 3_600

const switches = [
  ['accountsOnly', 'Registered users only'],
  ['linksOff', 'No links'],
  ['readOnly', 'Read only'],
] as const

interface RulesFormProps {
  rules: RoomRules
  onSave: (rules: RoomRules) => void
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
    const isOn = (name: string) => fields.has(name)
    onSave({
      slowModeSeconds: Number(fields.get('slowModeSeconds')),
      accountsOnly: isOn('accountsOnly'),
      linksOff: isOn('linksOff'),
      readOnly: isOn('readOnly'),
    })
  }
  return (
    <form ref={form} method="dialog" onSubmit={submit} className="rules-form">
      {switches.map(([name, label]) => (
        <label key={name}>
          <input type="checkbox" name={name} defaultChecked={rules[name]} />
          {label}
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
