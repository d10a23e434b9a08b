import { Component, type ReactNode } from 'react'
import { canStore, reloadPage } from '../connection/link/browser-page.ts'

interface ErrorBoundaryProps {
  children: ReactNode
}

/**
 * Shows a notice with a reload button when a component throws. Without an error boundary, React would leave a blank
 * page. Session storage keeps the draft and the outbox, and the page restores them after the reload. React supports
 * error boundaries only as classes.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError = () => ({ hasFailed: true })

  override render() {
    return this.state.hasFailed ? <ErrorNotice /> : this.props.children
  }
}

export function ErrorNotice() {
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-4 px-6 py-12 text-center">
      <h1 className="text-2xl font-semibold tracking-tight text-balance">Something went wrong</h1>
      <p role="alert" className="max-w-md text-ink-soft text-pretty">
        Please reload the page.{canStore() && ' Your draft and your unsent messages are kept.'}
      </p>
      <button type="button" onClick={reloadPage} className="button mt-2">
        Reload
      </button>
    </main>
  )
}
