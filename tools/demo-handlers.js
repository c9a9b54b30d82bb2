// The handlers of the demo's round trip: for a new property they request the whole list from the
// service's API.
import { createClient } from "hookporter/client";

const { HOOKPORTER_BASE_URL: baseUrl, HOOKPORTER_API_KEY: apiKey } = process.env;
const client = createClient({ baseUrl, apiKey });

export default {
  "property.created": async (event) => {
    const { data, meta } = await client.properties.list({ perPage: 100 });
    const listed = data.some(({ property }) => property?.id === event.data.id);
    console.log(`${event.data.id} is ${listed ? "one" : "none"} of ${meta.total} properties`);
  },
};
