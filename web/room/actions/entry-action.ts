/** Something that the user can do with one entry. The toolbar of the selected entry shows a button for each. */
export interface EntryAction {
  readonly label: string
  readonly run: () => void
}
