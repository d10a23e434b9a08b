/** Not imported: for three names that `node:http` re-exports, an import would load all of `fetch`, at every start. */
export const nodeHttp = process.getBuiltinModule('node:http')
