// Reads Parquet files with DuckDB: an engine that is not ours, to prove that others can read what we write.

import { DuckDBInstance } from '@duckdb/node-api'

export async function duckdb<Row>(sql: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
