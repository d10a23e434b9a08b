import { type SubmitEvent, useEffect, useRef } from 'react'
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
      ...Object.fromEntries(numberNames.map((name) => [name, Number(fields.get(name))])),
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
      {numberNames.map((name) => (
        <label key={name}>
          {numbers[name].label}
          <input type="number" name={name} min={0} max={numbers[name].max} required defaultValue={rules[name]} />
        </label>
      ))}
      <button type="submit" className="button">
        Save rules
      </button>
    </form>
  )
}
