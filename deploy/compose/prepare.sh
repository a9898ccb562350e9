#!/bin/sh
# Makes the secrets that compose.yaml mounts, in the folder "secrets" beside it. What is there stays.
# As root it gives each file to the user that reads it; otherwise the folder's own mode keeps others out.
set -eu
umask 077
here=$(cd "$(dirname "$0")" && pwd)
secrets="$here/secrets"
mkdir -p "$secrets"
cd "$secrets"

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
owned() { chmod "$1" "$3"; if [ "$(id -u)" = 0 ]; then chown "$2" "$3"; chmod 0400 "$3"; fi; }

[ -e postgres-password ] || random > postgres-password
[ -e grafana-password ] || random > grafana-password
# Servers know PostgreSQL by this certificate, so that nobody else in their network can pose as it.
if [ ! -e postgres.crt ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
        -subj /CN=postgres -addext subjectAltName=DNS:postgres \
        -keyout postgres.key -out postgres.crt 2> /dev/null
fi
if [ ! -e valkey.conf ]; then
    cat > valkey.conf <<VALKEY
requirepass $(random)
dir /data
maxmemory 1gb
maxmemory-policy volatile-lru
appendonly yes
appendfsync everysec
VALKEY
fi
if [ ! -e gatehouse.env ]; then
    cat > gatehouse.env <<SETTINGS
GATEHOUSE_SECRET_KEY=$(random)
GATEHOUSE_DATABASE_URL=postgresql://gatehouse:$(cat postgres-password)@postgres/gatehouse?sslmode=verify-full&sslrootcert=/run/secrets/postgres_crt
GATEHOUSE_MEMORY_URL=redis://:$(sed -n 's/^requirepass //p' valkey.conf)@valkey:6379/0
# Who answers for cards, payments and identities: docs/connectors.md
GATEHOUSE_ISSUER=connectors
GATEHOUSE_GATEWAY=none
GATEHOUSE_IDENTITIES=records
SETTINGS
    echo "secrets/gatehouse.env is made. Keep a copy of GATEHOUSE_SECRET_KEY somewhere else: nothing can replace it."
    [ "$(id -u)" = 0 ] || echo "Run it again as root, or gatehouse doctor will say that others can read gatehouse.env."
fi
owned 0644 10001:10001 gatehouse.env
owned 0644 999:999 valkey.conf
owned 0644 472:0 grafana-password
owned 0644 0:0 postgres-password
owned 0600 0:0 postgres.key
chmod 0644 postgres.crt
