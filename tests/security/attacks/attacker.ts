import { workerData } from 'node:worker_threads'
import { attacks } from './attacks.ts'
import { type TargetOptions, createTarget } from './target.ts'

/** Runs in a worker thread until it is terminated. */
const { name, targetOptions } = workerData as { name: string; targetOptions: TargetOptions }
attacks[name]?.(createTarget(targetOptions))
