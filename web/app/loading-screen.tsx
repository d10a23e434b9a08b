import { type ComponentType, useEffect, useState } from 'react'
import { routes } from '../../contract/routes.ts'
import { Link } from '../shell/link.tsx'
import { usePath } from '../shell/location.ts'
import { passFocusOn } from '../shell/route-focus.tsx'
import { UnreachableFileError } from '../ui/fetch-before-import.ts'
import { reloadOnce } from './reload-once.ts'

/**
 * Delay before the page repeats the load of unreachable code. The page repeats the load while the screen is open: the
 * network may be back at any time.
 */
const retryAfterMs = 2_000

interface LoadingScreenProps {
  load: () => Promise<ComponentType>
  onLoad: (screen: ComponentType) => void
}

/**
 * Loads the code of a screen. Shows a notice while the code is unreachable. The page reloads only for other errors, such
 * as a file that the server no longer has: a reload removes the messages from the list.
 */
export function LoadingScreen({ load, onLoad }: LoadingScreenProps) {
  const [failure, setFailure] = useState<{ error: unknown } | null>(null)

  useEffect(() => {
    let isOpen = true
    let timer = 0
    async function attempt() {
      try {
        const screen = await load()
        if (isOpen) onLoad(screen)
      } catch (error) {
        if (!isOpen) return
        if (error instanceof UnreachableFileError) timer = window.setTimeout(() => void attempt(), retryAfterMs)
        else await reloadOnce(error, () => isOpen).catch(() => undefined)
        setFailure({ error })
      }
    }
    void attempt()
    return () => {
      isOpen = false
      window.clearTimeout(timer)
    }
  }, [load, onLoad])

  if (failure === null) return null
  // The error boundary shows a notice with a reload button.
  if (!(failure.error instanceof UnreachableFileError)) throw failure.error
  return <UnreachableNotice />
}

function UnreachableNotice() {
  const isRoom = usePath() === routes.room
  return (
    <div className="grid grow content-center justify-items-center gap-4 px-6 py-12 text-center">
      <h1 className="text-2xl font-semibold tracking-tight text-balance">This page could not be loaded</h1>
      <p role="alert" className="max-w-md text-ink-soft text-pretty">
        It opens when the connection is back.
      </p>
      {!isRoom && (
        <Link href={routes.room} ref={passFocusOn} className="button mt-2">
          Go to the chat room
        </Link>
      )}
    </div>
  )
}
