import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type CompilersFactory = NonNullable<SchemaController['compilersFactory']>

const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const validator = Compile(schema)
  return (value: unknown) => {
    const errors = validator.Errors(value)
    return errors.length === 0 ? { value } : { error: errors }
  }
}

const compileSerializer: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const validator = Compile(schema)
  // What the schema does not name stays here.
  return (answer: unknown) => JSON.stringify(validator.Clean(answer))
}

/**
 * TypeBox judges and cleans what its own schemas describe. Fastify's compilers for schemas of any origin, which every start
 * would wait for, are not even loaded. Its types know only those, though it takes any.
 */
export const schemaController: SchemaController = {
  compilersFactory: {
    buildValidator: () => compileValidator,
    buildSerializer: () => compileSerializer,
  } as unknown as CompilersFactory,
}
