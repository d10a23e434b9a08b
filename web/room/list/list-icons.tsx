import { icon } from '../../ui/icon.tsx'

export const ArrowDownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />)
export const SearchIcon = icon(
  <>
    <circle cx="10.5" cy="10.5" r="6" />
    <path d="M15 15l5 5" />
  </>,
)
export const BellIcon = icon(<path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15ZM10 20.5h4" />)
