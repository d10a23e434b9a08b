import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { CloseIcon } from '../../ui/icons.tsx'

interface ModalProps {
  title: ReactNode
  className: string
  onClose: () => void
  children: ReactNode
}

/** Modal dialog. The browser keeps the focus inside, closes the dialog on Escape, and returns the focus to where it was. */
export function Modal({ title, className, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    if (element === null) return
    if (!element.open) element.showModal()
    // A press outside of the content has the dialog itself as its target.
    const closeOutside = ({ target }: Event) => target === element && element.close()
    element.addEventListener('click', closeOutside)
    return () => element.removeEventListener('click', closeOutside)
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby="modal-title" className={`modal ${className}`} onClose={onClose}>
      <div className="modal-content">
        <header>
          <h3 id="modal-title">{title}</h3>
          <button type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <CloseIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
