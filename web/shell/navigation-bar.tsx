import { useRef } from 'react'
import { defaultIdentity } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { useIdentity } from '../connection/hooks.ts'
import { ConnectionPill } from './connection-state.tsx'
import { CloseIcon, MenuIcon } from '../ui/icons.tsx'
import { Link } from './link.tsx'
import { usePath } from './location.ts'
import { Logo } from './logo.tsx'
import { useNavigationMenu } from './navigation-menu.ts'

const visitorLinks = [
  { to: routes.users, text: 'Allusers' },
  { to: routes.register, text: 'Register' },
  { to: routes.login, text: 'Login' },
]

const linkClasses =
  'flex min-h-11 items-center rounded-field px-4 font-medium text-ink-soft transition-colors hover:bg-surface hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong max-wide:hover:bg-sunken'

export function NavigationBar() {
  const path = usePath()
  const identity = useIdentity()
  const container = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const menu = useNavigationMenu(container, button)
  const Title = path === routes.room ? 'h1' : 'p'

  return (
    <header className="navigation-bar">
      <Title className="text-lg font-semibold tracking-tight whitespace-nowrap">
        <Link href={routes.room} className="-ms-1.5 flex min-h-11 items-center gap-2.5 rounded-field px-1.5">
          <Logo />
          <span>Chat Room</span>
        </Link>
      </Title>
      <ConnectionPill />
      <nav aria-label="Main" ref={container} className="ms-auto flex items-center">
        <button
          ref={button}
          type="button"
          aria-label={menu.isOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={menu.isOpen}
          aria-controls="menu"
          onClick={menu.toggle}
          className="grid size-[44px] place-items-center rounded-field text-ink hover:bg-surface wide:hidden"
        >
          {menu.isOpen ? <CloseIcon className="size-[24px]" /> : <MenuIcon className="size-[24px]" />}
        </button>
        <div id="menu" data-open={menu.isOpen} className="navigation-menu">
          {identity === defaultIdentity ? (
            <ul className="flex flex-col gap-1 wide:flex-row wide:flex-wrap">
              {visitorLinks.map(({ to, text }) => (
                <li key={to}>
                  <Link
                    href={to}
                    aria-current={path === to ? 'page' : undefined}
                    className={linkClasses}
                    onClick={menu.close}
                  >
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          ) : (
            <p className="px-4 py-2.5 text-ink-soft wrap-anywhere wide:px-0">
              User logged in as : <bdi className="account-name font-semibold text-ink">{identity}</bdi>
            </p>
          )}
        </div>
      </nav>
    </header>
  )
}
