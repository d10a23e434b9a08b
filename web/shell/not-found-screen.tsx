import { routes } from '../../contract/routes.ts'
import { Link } from './link.tsx'

export function NotFoundScreen() {
  return (
    <div className="grid grow content-center justify-items-center gap-4 px-6 py-12 text-center">
      <p aria-hidden="true" className="not-found-number">
        404
      </p>
      <h1 className="text-2xl font-semibold tracking-tight text-balance">There is nothing at this address</h1>
      <p className="max-w-md text-ink-soft text-pretty">The link may be outdated or mistyped.</p>
      <Link href={routes.room} className="button mt-2">
        Go to the chat room
      </Link>
    </div>
  )
}
