# Waits until the pipe from our process ends, then removes everything in Docker that carries a label. Arguments: docker, label.
# A process that ends in peace says so first. If it did not, something may still be on its way, and is waited for.
docker=$1
label=$2
farewell=$(cat)

containers() { "$docker" ps --all --quiet --filter "label=$label"; }
networks() { "$docker" network ls --quiet --filter "label=$label"; }
volumes() { "$docker" volume ls --quiet --filter "label=$label"; }
images() { "$docker" images --quiet --filter "label=$label" | sort -u; }

for attempt in 1 2 3 4 5 6 7 8; do
  containers | xargs -r "$docker" rm --force --volumes
  networks | xargs -r "$docker" network rm
  volumes | xargs -r "$docker" volume rm --force
  images | xargs -r "$docker" rmi --force
  left=$(containers && networks && volumes && images) || left=unknown
  if [ -z "$left" ]; then
    if [ "$farewell" = peace ] || [ "$attempt" -gt 2 ]; then exit 0; fi
  fi
  sleep 1
done >/dev/null 2>&1
exit 1
