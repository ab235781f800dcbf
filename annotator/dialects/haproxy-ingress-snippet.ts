// jcmoraisjr's haproxy-ingress: the annotation holds the server lines themselves, for all backends of the Service. Its
// servers carry their options themselves, so a template inherits none.
import { haproxyIngressWords } from '../controller-words.ts'
import { snippetDialect } from './snippet.ts'

export const haproxyIngressSnippet = snippetDialect({
  annotation: 'haproxy-ingress.github.io/config-backend',
  controller: 'haproxy-ingress.github.io/controller',
  words: haproxyIngressWords,
})
