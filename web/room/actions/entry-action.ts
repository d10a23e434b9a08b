/** Action of the user on one entry. The toolbar of the selected entry shows a button for each action. */
export interface EntryAction {
  readonly label: string
  readonly run: () => void
}
