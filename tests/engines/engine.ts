/** Browser operations that the tests need, independent of the driver. */
export interface EnginePage {
  open: (url: string) => Promise<void>
  /** Runs a function in the page. The function can use only its argument and globals of the page. */
  evaluate: <Argument, Result>(run: (argument: Argument) => Result, argument: Argument) => Promise<Awaited<Result>>
  /** Performs a trusted click at the centre of the element. */
  click: (selector: string) => Promise<void>
  /** Types into the focused element. */
  type: (text: string) => Promise<void>
  press: (key: EngineKey) => Promise<void>
  resize: (width: number, height: number) => Promise<void>
  /** Returns a PNG of the window in base64. */
  screenshot: () => Promise<string>
}

type EngineKey = 'Enter' | 'Shift+Enter' | 'Tab' | 'Backspace' | 'PageUp' | 'ArrowDown'

export interface EngineBrowser {
  page: EnginePage
  close: () => Promise<void>
}

export interface Engine {
  name: string
  launch: () => Promise<EngineBrowser>
}
