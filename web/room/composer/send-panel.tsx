import { type SubmitEvent, useId, useRef } from 'react'
import { defaultIdentity } from '../../../contract/constants.ts'
import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { useAnonymousName, useDraft, useIdentity, useRoomActions, useSendState } from '../../connection/hooks.ts'
import { Field } from '../../ui/field.tsx'
import { SendIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useBoundedInput } from './bounded-input.ts'
import { SendNotice } from './send-notice.tsx'

export function SendPanel() {
  const identity = useIdentity()
  const draft = useDraft()
  const sending = useSendState()
  const [anonymousName, setAnonymousName] = useAnonymousName()
  const { setDraft, send } = useRoomActions()
  const nameInput = useRef<HTMLInputElement>(null)
  const messageInput = useRef<HTMLInputElement>(null)
  const name = useBoundedInput(nameInput, maxNameCharacters, setAnonymousName)
  const message = useBoundedInput(messageInput, maxMessageCharacters, setDraft)
  const noticeId = useId()
  const refused = message.refusal !== null || sending.state === 'refused'

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    send(anonymousName)
    messageInput.current?.focus()
  }

  const anonymous = identity === defaultIdentity
  return (
    <section className="send-panel">
      <form onSubmit={submit} autoComplete="off" data-anonymous={anonymous} className="composer">
        <h2 className="panel-title">Send Your Message</h2>
        {anonymous ? (
          <fieldset>
            <legend className="composer-legend">Message without signing in</legend>
            <Field
              ref={nameInput}
              className="composer-name"
              label="Set custom username"
              floating
              value={anonymousName}
              onChange={name.onChange}
              autoComplete="off"
              aria-describedby={name.refusal === null ? undefined : noticeId}
            />
          </fieldset>
        ) : (
          <p className="composer-who">
            username : <bdi className="account-name font-semibold text-ink">{identity}</bdi>
          </p>
        )}
        <Field
          ref={messageInput}
          className="composer-text"
          label="Message"
          floating
          value={draft}
          onChange={message.onChange}
          autoComplete="off"
          enterKeyHint="send"
          aria-describedby={noticeId}
          aria-invalid={refused}
        />
        <button type="submit" className="composer-send button">
          Send
          {sending.state === 'sending' ? <Spinner /> : <SendIcon className="size-4.5 short:max-wide:hidden" />}
        </button>
        <SendNotice id={noticeId} refusedInput={message.refusal ?? name.refusal} />
      </form>
    </section>
  )
}
