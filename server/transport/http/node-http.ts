/** Module `node:http`. An import would also load its re-exports from undici and slow down every start. */
export const nodeHttp = process.getBuiltinModule('node:http')
