import { workerData } from 'node:worker_threads'
import { attacks } from './attacks.ts'
import { type Aim, createTarget } from './target.ts'

/** Runs in a worker thread until it is terminated. */
const { name, aim } = workerData as { name: string; aim: Aim }
attacks[name]?.(createTarget(aim))
