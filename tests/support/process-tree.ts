import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  pid: number
  command: string
}

/** Returns a process and its descendants, parents before children. */
export function processTree(root: number): Process[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = Number(readProc(entry, 'stat').split(') ')[1]?.split(' ')[1])
    if (Number.isInteger(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const tree: Process[] = []
  const visit = (pid: number) => {
    tree.push({ pid, command: readProc(String(pid), 'cmdline').replaceAll('\0', ' ') })
    for (const child of children.get(pid) ?? []) visit(child)
  }
  visit(root)
  return tree
}

/** Returns whether a process runs. A zombie does not count. */
export function isRunning(pid: number): boolean {
  const state = readProc(String(pid), 'stat').split(') ')[1]?.[0]
  return state !== undefined && state !== 'Z'
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
