import type { EarlyInput } from './early-input.ts'

// The pages are drawn at build time and stand on the screen before the application has arrived. This script comes first
// and by itself: nothing is submitted the old way, and what was pressed is remembered until somebody can act on it.
{
  const presses: EarlyInput = { submits: new Map(), hydratedForms: new WeakSet(), clicks: [] }
  window.earlyInput = presses
  window.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || presses.hydratedForms.has(form)) return
      event.preventDefault()
      const message = new FormData(form).get('message')
      presses.submits.set(form, [...(presses.submits.get(form) ?? []), typeof message === 'string' ? message : ''])
    },
    true,
  )
  window.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null
    if (button?.type === 'button') presses.clicks?.push(button)
  })
}
