import type { EarlyInput } from './early-input.ts'

// Records submits and clicks on the prerendered page until the application is hydrated. This script loads separately,
// before the application, and prevents native form submission.
{
  const input: EarlyInput = { submits: new Map(), hydratedForms: new WeakSet(), clicks: [] }
  window.earlyInput = input
  window.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || input.hydratedForms.has(form)) return
      event.preventDefault()
      const field = form.querySelector('textarea')
      const text = field?.value ?? ''
      input.submits.set(form, [...(input.submits.get(form) ?? []), text])
      // Move the caret to the end: the application treats text typed after the submitted text as the next message.
      field?.setSelectionRange(text.length, text.length)
    },
    true,
  )
  // A textarea does not submit its form on Enter. `message-field.tsx` handles its keys after hydration.
  window.addEventListener('keydown', (event) => {
    const form = event.target instanceof HTMLTextAreaElement ? event.target.form : null
    if (form === null || input.hydratedForms.has(form)) return
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    form.requestSubmit()
  })
  window.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null
    if (button?.type === 'button') input.clicks?.push(button)
  })
}
