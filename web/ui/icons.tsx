import { icon } from './icon.tsx'

// Icons of the first load. Icons that a page needs later are in files of their own, which the page loads with the code
// that uses them.

export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />)
export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />)
export const ChevronIcon = icon(<path d="M6 9.5l6 6 6-6" />)
export const SendIcon = icon(<path d="M5 12h13M12.5 5.5L19 12l-6.5 6.5" />)
export const BubbleIcon = icon(
  <path d="M12 4.5c-4.7 0-8.5 3.1-8.5 7 0 2.1 1.1 4 2.9 5.3L5.7 20l3.9-1.8c.8.2 1.6.3 2.4.3 4.7 0 8.5-3.1 8.5-7s-3.8-7-8.5-7Z" />,
)
