export function Logo() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true" focusable="false" className="logo size-8 shrink-0 text-accent">
      <path
        fill="currentColor"
        d="M32 8C17.6 8 6 17.4 6 29c0 6.3 3.5 12 8.9 15.8L12.7 54a1.3 1.3 0 0 0 1.8 1.4l11.8-5.6c1.8.3 3.7.5 5.7.5 14.4 0 26-9.4 26-21S46.4 8 32 8Z"
      />
      <path
        className="stroke-canvas forced-colors:stroke-[Canvas]"
        strokeWidth="7.6"
        strokeLinecap="round"
        d="M20.5 29.5h0M32 29.5h0M43.5 29.5h0"
      />
    </svg>
  )
}
