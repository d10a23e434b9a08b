// Formats of figures in the documents: KiB and MiB are exact, KB and MB are decimal and rounded.

export const count = (figure: number) => figure.toLocaleString('en')
export const seconds = (ms: number) => `${count(ms / 1_000)} s`
export const minutes = (ms: number) => `${ms / 60_000} min`
export const hours = (ms: number) => `${ms / 3_600_000} hours`
export const days = (ms: number) => `${ms / 86_400_000} days`
export const kib = (bytes: number) => `${bytes / 1_024} KiB`
export const mib = (bytes: number) => `${bytes / 1_024 ** 2} MiB`
export const kb = (bytes: number) => `${Math.round(bytes / 1_000)} KB`
export const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
