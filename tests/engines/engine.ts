/** What the walks need of a browser, whatever drives it. */
export interface EnginePage {
  open: (url: string) => Promise<void>
  /** Runs in the page; what it uses must come in as its argument. */
  evaluate: <Argument, Answer>(work: (argument: Argument) => Answer, argument: Argument) => Promise<Awaited<Answer>>
  /** A real click, at the middle of the element. */
  click: (selector: string) => Promise<void>
  /** Keys to whatever has the focus. */
  type: (text: string) => Promise<void>
  press: (key: EngineKey) => Promise<void>
  resize: (width: number, height: number) => Promise<void>
  /** What the window shows, as a PNG in base64. */
  screenshot: () => Promise<string>
}

type EngineKey = 'Enter' | 'Tab' | 'Backspace' | 'PageUp' | 'ArrowDown'

export interface EngineBrowser {
  page: EnginePage
  close: () => Promise<void>
}

export interface Engine {
  name: string
  launch: () => Promise<EngineBrowser>
}
