// This worker thread runs one attack until its parent terminates it.

import { constants, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { attacks } from './attacks.ts'
import { type TargetOptions, createTarget } from './target.ts'

const { name, targetOptions } = workerData as { name: string; targetOptions: TargetOptions }
// Linux lowers the priority of this thread alone: the attacker must not delay the clients that measure on the same core.
setPriority(constants.priority.PRIORITY_LOW)
attacks[name]?.(createTarget(targetOptions))
