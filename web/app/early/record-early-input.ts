import type { EarlyPresses } from './early-input.ts'

// The pages are drawn at build time and stand on the screen before the application has arrived. This script comes first
// and by itself: nothing is submitted the old way, and what was pressed is remembered until somebody can act on it.
{
  const presses: EarlyPresses = { forms: new Map(), live: new WeakSet(), clicked: [] }
  window.earlyPresses = presses
  window.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || presses.live.has(form)) return
      event.preventDefault()
      const message = new FormData(form).get('message')
      presses.forms.set(form, [...(presses.forms.get(form) ?? []), typeof message === 'string' ? message : ''])
    },
    true,
  )
  window.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null
    if (button?.type === 'button') presses.clicked?.push(button)
  })
}
