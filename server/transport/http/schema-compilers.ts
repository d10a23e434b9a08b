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
  // Remove properties that the schema does not name.
  return (response: unknown) => JSON.stringify(validator.Clean(response))
}

/**
 * Schema controller that validates and serializes with TypeBox. Fastify's default compilers are not loaded, which
 * shortens the start. The cast is needed because Fastify's types cover only its default compilers.
 */
export const schemaController: SchemaController = {
  compilersFactory: {
    buildValidator: () => compileValidator,
    buildSerializer: () => compileSerializer,
  } as unknown as CompilersFactory,
}
