import type { ComponentType, ReactNode } from 'react'

/** Creates the component of an icon. */
export function icon(drawing: ReactNode): ComponentType<{ className?: string }> {
  return function Icon({ className = 'size-5' }) {
    return (
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        className={`shrink-0 ${className}`}
      >
        {drawing}
      </svg>
    )
  }
}
