import { Suspense, useLayoutEffect, useState } from 'react'
import { replayEarlyClicks } from './early/early-input.ts'
import { createReadingMemory, ReadingMemoryProvider } from '../room/reading/reading-memory.ts'
import { screenAt } from './screens.ts'
import { ErrorBoundary } from '../shell/error-boundary.tsx'
import { PrerenderPathProvider, usePath } from '../shell/location.ts'
import { NavigationBar } from '../shell/navigation-bar.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { RouteFocus } from '../shell/route-focus.tsx'
import { SkipLinks } from '../shell/skip-links.tsx'
import { useViewportHeight } from '../shell/viewport-height.ts'

const titleAt = (path: string) => screenAt(path).title

function CurrentScreen() {
  const { component: Screen } = screenAt(usePath())
  return <Screen />
}

interface AppProps {
  /** Path to render at build time, where there is no `location`. */
  prerenderPath?: string
}

export function App({ prerenderPath }: AppProps) {
  const [readingMemory] = useState(createReadingMemory)
  useViewportHeight()
  useLayoutEffect(replayEarlyClicks, [])
  return (
    <ErrorBoundary>
      <PrerenderPathProvider value={prerenderPath}>
        <ReadingMemoryProvider value={readingMemory}>
          <div className="app">
            <SkipLinks />
            <NavigationBar />
            <main id="main" tabIndex={-1} className="flex shrink-0 grow flex-col focus:outline-none">
              {/* Nothing suspends. The boundary lets React hydrate the screen in a separate task. */}
              <Suspense fallback={null}>
                <CurrentScreen />
              </Suspense>
            </main>
          </div>
          <PageTitle titleAt={titleAt} />
          <RouteFocus />
        </ReadingMemoryProvider>
      </PrerenderPathProvider>
    </ErrorBoundary>
  )
}
