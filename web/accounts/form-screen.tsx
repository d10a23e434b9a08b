import type { ReactNode } from 'react'

interface FormScreenProps {
  title: string
  children: ReactNode
}

export function FormScreen({ title, children }: FormScreenProps) {
  return (
    <div className="grid grid-cols-1 justify-items-center px-[min(1rem,4vw)] pt-[clamp(1rem,12vh,9rem)] pb-12">
      <section className="sheet w-full max-w-md p-[min(1.5rem,6vw)] phone:p-9">
        <h1 className="text-2xl font-semibold tracking-tight text-balance">{title}</h1>
        {children}
      </section>
    </div>
  )
}

export const textLinkClasses =
  'inline-flex min-h-11 items-center rounded font-semibold text-accent underline decoration-1 underline-offset-4 hover:decoration-2'
