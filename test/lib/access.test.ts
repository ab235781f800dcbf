import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import t from 'tap'
import { accessOf, findAccess, inCluster } from '../../lib/access.ts'

t.test('a pod’s own service account', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'access-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'token'), 'secret\n')
  await writeFile(join(folder, 'ca.crt'), 'certificate')
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
  const access = inCluster(env, folder)
  t.equal(access.server, 'https://[fd00::1]:443')
  t.strictSame(await access.options(), { ca: 'certificate', headers: { authorization: 'Bearer secret' } })
  t.equal(inCluster({ ...env, KUBERNETES_SERVICE_HOST: '10.96.0.1' }, folder).server, 'https://10.96.0.1:443')
})

t.test('a token that was renewed is read within a minute, also where the clock was set back', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'access-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'token'), 'old')
  await writeFile(join(folder, 'ca.crt'), 'certificate')
  const [now, dateNow] = [performance.now.bind(performance), Date.now]
  t.teardown(() => {
    performance.now = now
    Date.now = dateNow
  })
  const access = inCluster({ KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }, folder)
  t.match(await access.options(), { headers: { authorization: 'Bearer old' } })
  await writeFile(join(folder, 'token'), 'new')
  t.match(await access.options(), { headers: { authorization: 'Bearer old' } }, 'not for each request')
  performance.now = () => now() + 60_001
  Date.now = () => dateNow() - 3_600_000
  t.match(await access.options(), { headers: { authorization: 'Bearer new' } })
})

t.test('files that are missing are asked for again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'access-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const access = inCluster({ KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }, folder)
  await t.rejects(access.options(), { code: 'ENOENT' })
  await writeFile(join(folder, 'token'), 'secret')
  await writeFile(join(folder, 'ca.crt'), 'certificate')
  t.match(await access.options(), { ca: 'certificate' })
})

t.test('neither pod nor kubeconfig', async (t) => {
  await t.rejects(findAccess('', {}), {
    message: /^not in a pod: .* give a kubeconfig by ZONEFIRST_KUBECONFIG$/,
  })
  t.throws(() => accessOf(new KubeConfig()), {
    message: 'the kubeconfig has no current cluster: set its current-context',
  })
})
