import { useSecondsUntil } from '../ui/seconds-until.ts'

interface RetryNoticeProps {
  reason: string
  retryAtMs: number | null
}

/** Shows the reason of a rejection and counts down to the next possible attempt. Shows nothing without a time, or after it. */
export function RetryNotice({ reason, retryAtMs }: RetryNoticeProps) {
  const seconds = useSecondsUntil(retryAtMs)
  if (retryAtMs === null || seconds === 0) return null
  return (
    <p className="rounded-field bg-caution-soft px-3.5 py-2.5 text-sm text-caution">
      <output>{reason}</output>
      <span className="tabular-nums">
        {' '}
        Try again in <span className="whitespace-nowrap">{seconds} s.</span>
      </span>
    </p>
  )
}
