export const serverFlags: readonly string[]
export declare function compileCache(
  root: string,
  environment?: Readonly<Record<string, string | undefined>>,
): { NODE_COMPILE_CACHE?: string }
