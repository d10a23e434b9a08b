import { type FocusEvent, type SubmitEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { initialAnonymousName } from '../../../contract/constants.ts'
import { useAccount, useAnonymousName, useModeration, useRoomActions, useSender } from '../../connection/hooks.ts'
import { useRoomConnection } from '../../connection/room-connection-context.ts'
import { fieldMessage, isNameEmpty, needsAuthorChoice, type OutboxMessage } from '../../connection/send/sender.ts'
import { earlyValue, takeEarlySubmits } from '../../app/early/early-input.ts'
import { Field } from '../../ui/field.tsx'
import { SendIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ModerationPart } from '../moderation/moderation-part.tsx'
import { AuthorChoice } from './author-choice.tsx'
import { splitEarlySubmits } from './field-change.ts'
import { MessageField, type MessageFieldHandle } from './message-field.tsx'
import { useHeldForm } from './use-held-form.ts'
import { useKeepInView } from './use-keep-in-view.ts'
import { useTypingAnywhere } from './use-typing-anywhere.ts'
import { Outbox } from './outbox.tsx'
import { SendNotice, useSendProblem } from './send-notice.tsx'
import { texts } from './texts.ts'

/** Selects the default name on focus, so that typing replaces it. */
function selectInitialName({ target }: FocusEvent<HTMLInputElement>) {
  if (target.value === initialAnonymousName) target.select()
}

/** Returns whether a clipboard has files, such as an image, and no text. */
const isWithoutText = ({ files, types }: DataTransfer) => files.length > 0 && !types.includes('text/plain')

export function SendPanel() {
  const account = useAccount()
  const [anonymousName, setAnonymousName] = useAnonymousName()
  const { send, adoptEarlyText } = useRoomActions()
  const { sender } = useRoomConnection()
  const form = useRef<HTMLFormElement>(null)
  const panel = useRef<HTMLElement>(null)
  const nameInput = useRef<HTMLInputElement>(null)
  const messageInput = useRef<HTMLTextAreaElement>(null)
  const field = useRef<MessageFieldHandle>(null)
  const [dismissed, setDismissed] = useState<readonly OutboxMessage[]>([])
  const [isFileRejected, setIsFileRejected] = useState(false)
  const choice = useRef<HTMLAnchorElement>(null)
  const noticeId = useId()
  const choiceId = useId()
  const isAnonymous = account === null
  const hasRules = useModeration().rules !== null
  const problem = useSendProblem(isAnonymous ? anonymousName : null)
  const writtenAs = useSender((sender) => (needsAuthorChoice(sender, account) ? sender.draftAccount : null))
  const state = useSender(fieldMessage)?.state.kind

  // The prerendered form is usable before the script loads. Adopt what the user typed and submitted until then.
  useLayoutEffect(() => {
    if (form.current === null || messageInput.current === null) return
    const name = nameInput.current && earlyValue(nameInput.current)
    if (name !== null) setAnonymousName(name)
    const submits = takeEarlySubmits(form.current)
    const earlyTexts = splitEarlySubmits([...submits, earlyValue(messageInput.current) ?? ''])
    for (const [index, text] of earlyTexts.entries()) {
      if (text !== '') adoptEarlyText(text)
      if (index < submits.length) send()
    }
  }, [adoptEarlyText, send, setAnonymousName])
  useKeepInView(panel)
  useHeldForm(panel)
  useTypingAnywhere()

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    field.current?.endComposition()
    if (choice.current !== null) return choice.current.focus()
    submitDraft()
  }

  const submitDraft = (isAuthorConfirmed?: boolean) => {
    send(isAuthorConfirmed)
    setDismissed([])
    setIsFileRejected(false)
    const input = messageInput.current
    input?.focus()
    // The field may show the sent message for a long time. Text typed at its end starts a new message.
    if (sender.get().fieldMessageId !== null) input?.setSelectionRange(input.value.length, input.value.length)
  }

  return (
    <section ref={panel} className="send-panel">
      <ModerationPart name="RulesNotice" />
      <Outbox dismissed={dismissed} setDismissed={setDismissed} onDone={() => messageInput.current?.focus()} />
      <form
        ref={form}
        method="dialog"
        onSubmit={submit}
        autoComplete="off"
        data-anonymous={isAnonymous}
        className="composer"
      >
        <h2 className="panel-title">Send Your Message</h2>
        {isAnonymous ? (
          <fieldset>
            <legend className="composer-identity">Message without signing in</legend>
            <Field
              ref={nameInput}
              className="composer-name"
              label="Set custom username"
              isFloating
              value={anonymousName}
              onChange={(event) => setAnonymousName(event.target.value)}
              onFocus={selectInitialName}
              autoComplete="off"
              aria-describedby={problem?.field === 'name' ? noticeId : undefined}
              aria-invalid={problem?.field === 'name' || isNameEmpty(anonymousName)}
            />
          </fieldset>
        ) : (
          <p className="composer-identity">
            username : <bdi className="account-name font-semibold text-ink">{account}</bdi>
          </p>
        )}
        <MessageField
          ref={messageInput}
          handle={field}
          onEdit={() => setIsFileRejected(false)}
          onPaste={({ clipboardData }) => setIsFileRejected(isWithoutText(clipboardData))}
          aria-describedby={`${hasRules ? 'room-rules ' : ''}${noticeId} ${choiceId}`}
          aria-invalid={problem?.field === 'message' || state === 'refused'}
        />
        <button type="submit" className="composer-send button">
          {texts.send}
          {state === 'sending' ? <Spinner /> : <SendIcon className="size-4.5 rtl:-scale-x-100" />}
        </button>
        <SendNotice id={noticeId} problem={problem?.text ?? (isFileRejected ? texts.onlyText : null)}>
          {writtenAs !== null && (
            <AuthorChoice
              id={choiceId}
              ref={choice}
              writtenAs={writtenAs}
              sendsAs={texts.author(account, anonymousName)}
              onSend={() => submitDraft(true)}
            />
          )}
        </SendNotice>
      </form>
    </section>
  )
}
