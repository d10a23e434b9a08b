// How figures are written in the documents: KiB and MiB are exact, KB and MB are decimal and rounded.

export const count = (figure: number) => figure.toLocaleString('en')
export const seconds = (ms: number) => `${ms / 1_000} s`
export const kib = (bytes: number) => `${bytes / 1_024} KiB`
export const mib = (bytes: number) => `${bytes / 1_024 ** 2} MiB`
export const kb = (bytes: number) => `${Math.round(bytes / 1_000)} KB`
export const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
