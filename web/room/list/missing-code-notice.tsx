import { useSyncExternalStore } from 'react'
import { reloadPage } from '../../connection/link/browser-page.ts'
import { isCodeMissing } from '../../ui/on-demand.ts'

/** Notice above the list, with a reload button, while some code of the page is missing. */
export function MissingCodeNotice() {
  const isMissing = useSyncExternalStore(isCodeMissing.subscribe, isCodeMissing.get, () => false)
  return isMissing ? (
    <div className="announcement">
      <output role="alert">This page is out of date. Reload it to use all of it.</output>
      <button type="button" onClick={reloadPage}>
        Reload
      </button>
    </div>
  ) : null
}
