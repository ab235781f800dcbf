import t from 'tap'
import { plain } from '../../cli/plain.ts'

t.test('no text of the cluster acts on a terminal', async (t) => {
  const table = 'SERVICE\tZONES\nshop/web  eu-west-1a: 2 über “x”\n'
  t.equal(plain(table), table)
  t.equal(plain('\u001b[2Ja\u001b]0;b\u0007c\r\u009bd'), '�[2Ja�]0;b�c��d')
  t.equal(plain('evil\u202egnp\u200b\u2028'), 'evil�gnp��')
})
