"""Both directions: no secret is shown in any shape, and what is none stays readable."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.guard.masking.text import MASK, READ, masked, spans
from runaway.guard.words import short

ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
SECRETS = st.text(ALPHABET, min_size=24, max_size=40).filter(
    lambda text: any(c.isdigit() for c in text) and not text.isdigit() and not text.islower()
)

# What stands around a secret of any kind, also a short word.
NAMED = r"""
curl -H "X-Api-Key: {}" x
curl -H "Authorization: Bearer {}" x
curl -H 'Authorization: Basic {}' x
curl --header "X-Anything: {}" x
curl -H "Cookie: a=b; c={}" x
curl -u "me:{}" x
curl -u me:{} x
curl --user me:{} x
curl --proxy-user me:{} x
mysql --password {}
mysql --password={}
mysql -p{} db
/usr/bin/mysql -u root -p {}
PGPASSWORD={} psql
MYSQL_PWD={} mysql
export SECRET_KEY={}
sshpass -p {} ssh x
sshpass -p{} ssh x
echo {} | docker login --password-stdin
printf '%s' {} | gh auth login --with-token
echo "{}" | sudo -S apt update
docker login -u me -p {} registry
docker login --password-stdin <<< {}
docker login --password-stdin <<EOF\n{}\nEOF
https://{}@github.com/x
https://me:{}@github.com/x
postgres://me:{}@db:5432/x
redis://:{}@host:6379
mongodb+srv://me:{}@h/x
aws configure set aws_secret_access_key {}
npm config set _authToken {}
curl "https://h/?access_token={}"
curl "https://h/?a=b&sig={}&c=d"
curl "https://h/?X-Amz-Signature={}"
curl -d '{{"password":"a {}"}}'
curl -d "{{\"password\": \"a {}\"}}"
curl --data-urlencode 'client_secret={}' x
PASSWORD="my {}"
PASSWORD='my {}'
PASSWORD="my \" {}"
DB_PASSWORD: {}
password: two {}
--api-key {}
--apiKey={}
APIKEY={}
passphrase={}
gpg --batch --passphrase {} x
openssl enc -pass pass:{} x
openssl rsa -passin pass:{}
redis-cli -a {} ping
ldapsearch -D cn=x -w {} y
http -a me:{} x
zip -P {} a.zip b
7z x -p{} a.7z
set -x GITHUB_TOKEN {}
machine github.com login me password {}
const apiKey = '{}'
api_key: str = "{}"
ALTER USER x WITH PASSWORD '{}'
Server=h;Database=d;User Id=u;Password={};
DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x
https://hooks.slack.com/services/T0/B0/{}
https://discord.com/api/webhooks/123/{}
https://api.telegram.org/bot123:{}/send
kubectl create secret generic x --from-literal=pw={}
gh secret set NAME --body {}
kubectl create secret generic x --from-literal=password={}
bash -c "TOKEN={} run"
-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN PRIVATE KEY----- {}
""".strip().split("\n")
# A long random word needs no name; these are a token's beginning, or nothing at all.
UNNAMED = r"""
{}
echo {} > file
export X={}
sk-{}
sk-ant-api03-{}
ghp_{}
github_pat_{}
glpat-{}
xoxb-{}
hf_{}
npm_{}
AIza{}
ya29.{}
whsec_{}
SG.{}
dop_v1_{}
shpat_{}
eyJhbGciOiJIUzI1NiJ9.{}.c2ln
""".strip().split("\n")

SHOWN = """
npm test
git commit -m 'fix the token bug'
git commit -m "auth: fix login and session handling"
git show 9e6caca1f0b2c3d4e5f60718293a4b5c6d7e8f90
git log --oneline -5 9e6caca..7b98947
https://github.com/owner/repo/commit/9e6caca1f0b2c3d4e5f60718293a4b5c6d7e8f90
docker run -p 8080:80 -e NODE_ENV=production nginx:1.25.3-alpine
docker pull ubuntu@sha256:2b7412e6465c3c7fc5bb21d3e6f1917c167358449fecac8176c6e496e5c1f05f
npm_config_registry=https://registry.example.org npm ci
pip install sk-learn-contrib-something
pytest tests/test_secret_handling.py::test_password -k 'token and not slow'
runaway resume --session 3f2a9c1e-7b1d-4c7e-9a0b-1c2d3e4f5a6b
claude --model claude-opus-4-5-20251101
ssh -p 2222 deploy@example.com
ssh://git@github.com/o/r
git clone git@github.com:owner/repo.git
cat /home/u/0123456789abcdef0123456789abcdef/file.txt
/nix/store/7r8l3c0q9p2m1n5b6v4x3z2a1s0d9f8g-bash-5.2/bin/bash
npm test -- --grep 'user password reset'
grep -rn "password" src/ | head
grep -rn "password:" src/
export TOKEN=$TOKEN
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1
curl -H 'Accept: application/json' -H "Content-Type: application/json" https://x/y
token = get_token()
password = os.environ["PASSWORD"]
max_tokens=4096 input_tokens: 512
docker login --password-stdin
dist/assets/index-BkZ8aQ2x.js
PWD=/home/u/x
psql -h localhost -p 5432 -U me db
useEffectOnceWithCleanup2 getUserAuthenticationProviderById
feature/2026-12-01-improve-login-page-v2
kubectl get secret my-secret -o yaml
test_something_long_enough_to_be_random_2
sort --key=2 -t, file.csv
aws s3 ls s3://my-bucket-name-2026/prefix/
ERROR: expected 5 tokens, got 6
https://example.com:8080/x@y
sed -i 's/password/passphrase/' a.txt
tar czf backup-20261201-123456.tar.gz src
-----BEGIN CERTIFICATE----- abc
<password> {{ token }}
""".strip().split("\n")


@given(secret=SECRETS, shape=st.sampled_from([*NAMED, *UNNAMED]))
def test_a_random_secret_is_never_shown(shape: str, secret: str) -> None:
    text = shape.replace("\\n", "\n").format(secret)
    for shown in (masked(text), short({"command": text})):
        assert secret[:12] not in shown
        assert secret[-12:] not in shown
    assert MASK in masked(text)


@pytest.mark.parametrize("secret", ["hunter2zzz", "Tr0ub4dor", "s3cr3t-with-dash"])
@pytest.mark.parametrize("shape", NAMED)
def test_a_short_password_is_told_by_what_stands_before_it(shape: str, secret: str) -> None:
    assert secret not in masked(shape.replace("\\n", "\n").format(secret))


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert masked(text) == text


ARGUMENTS = [
    {"apiKey": "hunter2zzz"},
    {"nested": {"password": ["hunter2zzz"]}},
    {"args": ["--token", "hunter2zzz"]},
    {"content": "TOKEN=hunter2zzz\nB=1"},
    {"pin_secret": {"x": "hunter2zzz"}},
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=json.dumps)
def test_arguments_are_masked_by_their_structure(arguments: dict[str, object]) -> None:
    shown = short(arguments, 1000)
    assert "hunter2zzz" not in shown
    assert MASK in shown


@pytest.mark.parametrize("before", range(READ - 60, READ + 1, 7))
def test_no_remains_of_a_secret_are_shown_where_a_text_is_cut(before: int) -> None:
    command = "-----BEGIN PRIVATE KEY-----" + "a" * before + " https://me:hunter2zzz@host/x"
    key = "x" * before + " ghp_k9XqaB3dE5fG7hJ9kL1mN3pQ5"
    assert "hunt" not in short({"command": command}, 5000)
    assert "k9X" not in short({"command": key}, 5000)


def test_masking_keeps_the_lines() -> None:
    text = 'a: 1\npassword: "one\ntwo\n\nthree"\nb: 2\n'
    assert masked(text) == 'a: 1\npassword: "***\n***\n\n***"\nb: 2\n'


@given(st.text("abc:=\"'\\ \n-/@{}[],tokenpasswd<|", max_size=80))
def test_any_text_has_spans_in_order(text: str) -> None:
    end = 0
    for start, stop in spans(text):
        assert end <= start < stop <= len(text)
        assert "\n" not in text[start:stop]
        end = stop


LONG = ["://", "password=\\", 'token=a"b', "curl -u '", "AKIA/", "<<", "bearer ", "-----BEGIN "]


@pytest.mark.parametrize("part", LONG)
def test_a_long_text_is_no_burden(part: str) -> None:
    masked(part * 3000)  # quadratic loops did not come back
